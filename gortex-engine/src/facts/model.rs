//! The model of facts: what one file says by itself, as plain rows over one string table.
//!
//! Every row is fixed-size and free of pointers, so a file's facts are one aligned byte buffer that is written to the
//! snapshot as it is and read back through a memory map without decoding. Positions are 0-based byte offsets, 1-based
//! lines and 0-based byte columns.
//!
//! Knows nothing of other files: a name here is text, and what it means elsewhere is for `link` to say.

use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

/// "No row" in every index column.
pub const NONE: u32 = u32::MAX;

/// A string of one file: an index into its string table. `Str(0)` is the empty string.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(transparent)]
pub struct Str(pub u32);

impl Str {
    /// The empty string, which also stands for "not given".
    pub const EMPTY: Str = Str(0);

    /// Whether this is the empty string.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }
}

macro_rules! byte_enum {
    ($(#[$meta:meta])* $name:ident { $($(#[$vmeta:meta])* $variant:ident = $text:literal,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[repr(u8)]
        pub enum $name { $($(#[$vmeta])* $variant,)* }

        impl $name {
            /// Every value, in the order of the stored byte.
            pub const ALL: &'static [$name] = &[$($name::$variant,)*];

            /// The stable lower-case word used in answers.
            pub fn as_str(self) -> &'static str {
                match self { $($name::$variant => $text,)* }
            }

            /// Reads the stored byte; an unknown byte (a damaged snapshot) becomes the first value.
            pub fn from_byte(byte: u8) -> $name {
                $name::ALL.get(byte as usize).copied().unwrap_or($name::ALL[0])
            }

            /// Parses the stable word.
            pub fn parse(word: &str) -> Option<$name> {
                $name::ALL.iter().copied().find(|value| value.as_str() == word)
            }
        }
    };
}
pub(crate) use byte_enum;

byte_enum! {
    /// What a definition is, at the finest grain; [`Kind::node_kind`] and [`Kind::flavor`] give the two words of answers.
    Kind {
        /// The file itself.
        File = "file",
        /// A package, namespace or inline module.
        Module = "module",
        /// A free function, also one bound to a variable.
        Function = "function",
        /// A function that belongs to a type.
        Method = "method",
        /// A constructor.
        Constructor = "constructor",
        /// A class.
        Class = "class",
        /// A struct.
        Struct = "struct",
        /// An enumeration.
        Enum = "enum",
        /// A union.
        Union = "union",
        /// An interface or protocol.
        Interface = "interface",
        /// A trait.
        Trait = "trait",
        /// A record type.
        Record = "record",
        /// An annotation type.
        Annotation = "annotation",
        /// A name for another type.
        TypeAlias = "type_alias",
        /// A data member.
        Field = "field",
        /// A property of an object literal, or an accessor.
        Property = "property",
        /// A constant.
        Constant = "constant",
        /// A variable outside any function.
        Variable = "variable",
        /// One value of an enumeration.
        EnumMember = "enum_member",
        /// A macro definition.
        Macro = "macro",
        /// An address that a program answers, as a framework is told of it.
        Route = "route",
        /// A place where an event is awaited, named like the event.
        Event = "event",
        /// A heading of a document.
        Heading = "heading",
        /// A key of a data file.
        Key = "key",
        /// A named group of keys (`[package]`).
        Section = "section",
        /// A database table.
        Table = "table",
        /// A column of a table.
        Column = "column",
        /// A database view.
        View = "view",
        /// A database index.
        Index = "index",
        /// A database trigger.
        Trigger = "trigger",
        /// A service: of a compose file or of an interface description.
        Service = "service",
        /// A declared piece of infrastructure (Kubernetes, Terraform).
        Resource = "resource",
        /// A value that a module gives out (Terraform).
        Output = "output",
        /// A job of a pipeline.
        Job = "job",
        /// A stage of an image build.
        Stage = "stage",
        /// Something a build tool can be asked for.
        Target = "target",
        /// A marked-up element that has a name.
        Element = "element",
        /// What a style rule applies to.
        Selector = "selector",
        /// A path or operation of an interface description.
        Endpoint = "endpoint",
        /// A data shape of an interface description.
        Schema = "schema",
    }
}

impl Kind {
    /// The kind as answers give it: all type-like kinds but interfaces are `type`.
    pub fn node_kind(self) -> &'static str {
        match self {
            Kind::Class | Kind::Struct | Kind::Enum | Kind::Union | Kind::Record | Kind::Annotation | Kind::TypeAlias => "type",
            Kind::Interface | Kind::Trait => "interface",
            Kind::Constructor => "method",
            Kind::Property => "field",
            other => other.as_str(),
        }
    }

    /// The structural flavor of a type, where it is one.
    pub fn flavor(self) -> Option<&'static str> {
        self.is_type().then(|| self.as_str())
    }

    /// Whether this can be called by name.
    pub fn is_callable(self) -> bool {
        matches!(self, Kind::Function | Kind::Method | Kind::Constructor | Kind::Macro)
    }

    /// Whether this names a type.
    pub fn is_type(self) -> bool {
        matches!(
            self,
            Kind::Class
                | Kind::Struct
                | Kind::Enum
                | Kind::Union
                | Kind::Interface
                | Kind::Trait
                | Kind::Record
                | Kind::Annotation
                | Kind::TypeAlias
        )
    }

    /// Whether only data and documents have this kind, never program code.
    pub fn is_format(self) -> bool {
        self >= Kind::Heading
    }

    /// Whether a type of this kind is satisfied by others rather than instantiated.
    pub fn is_interface(self) -> bool {
        matches!(self, Kind::Interface | Kind::Trait)
    }
}

byte_enum! {
    /// Who may see a definition.
    Visibility {
        /// Nothing said and the language has no default worth telling.
        Unknown = "unknown",
        /// Everyone.
        Public = "public",
        /// The package, crate or module tree.
        Internal = "internal",
        /// Subtypes.
        Protected = "protected",
        /// The file, type or module alone.
        Private = "private",
    }
}

byte_enum! {
    /// The role a mention plays at its place.
    Role {
        /// `f()`; also a macro call.
        Call = "call",
        /// `new T()`, `T { .. }`: a value of the type is made here.
        Instantiate = "instantiate",
        /// A value is read or handed over.
        Read = "value",
        /// Assigned to.
        Write = "write",
        /// A type is named, in no more precise position.
        Type = "type",
        /// The type of a parameter.
        ParamType = "parameter_type",
        /// A result type.
        ReturnType = "return_type",
        /// The type of a field.
        FieldType = "field",
        /// A type argument.
        GenericArg = "generic_arg",
        /// A decorator, annotation or attribute.
        Attribute = "attribute",
        /// Named in an import statement.
        Import = "import",
        /// Named in a re-export.
        ReExport = "re_export",
        /// A supertype in a class header, `impl Trait for`, an embedded struct.
        Extends = "extends",
        /// An interface in a class header or `impl`.
        Implements = "implements",
        /// `<Component />`.
        Render = "render",
        /// The error that is raised, or that a signature says may be.
        Throws = "throws",
    }
}

byte_enum! {
    /// What happens to a call's result.
    Usage {
        /// Not told.
        Unknown = "unknown",
        /// Thrown away.
        Discarded = "discarded",
        /// Bound to a name.
        Assigned = "assigned",
        /// Some of several results are thrown away.
        PartiallyIgnored = "partially_ignored",
        /// Returned.
        Returned = "returned",
        /// Started as a concurrent task.
        Goroutine = "goroutine",
        /// Deferred.
        Deferred = "deferred",
        /// Handed to another call.
        Argument = "argument",
        /// Decides a branch.
        Condition = "condition",
    }
}

byte_enum! {
    /// The shape of an expression that stands in front of a name, or initialises one.
    ExprKind {
        /// Nothing that we can say.
        Unknown = "unknown",
        /// A free name: `name`.
        Name = "name",
        /// A nested definition of the same file: `base` is its row.
        LocalDef = "local_def",
        /// A parameter or local variable: `base` is its [`BindRow`].
        LocalBind = "local_bind",
        /// `this`, `self`.
        SelfRef = "self",
        /// `super`, `super()`.
        Super = "super",
        /// `base.name`.
        Member = "member",
        /// `base::name` where the language tells it apart from `.`.
        Path = "path",
        /// The result of calling `base`.
        Call = "call",
        /// A new value of the type whose text is `name`.
        New = "new",
        /// A value whose type text is `name` (cast, literal of a known type, annotation).
        Typed = "typed",
        /// A literal of a built-in type; `name` is that type's name in the language.
        Literal = "literal",
        /// An element of `base`.
        Index = "index",
        /// `await base`, `base?`, `base!`: the value inside.
        Unwrap = "unwrap",
        /// What iterating over `base` yields.
        Element = "element",
        /// What the callee `base` hands to a function that it is given: `slot` holds the argument's position (high five bits) and
        /// the parameter's (low three).
        Given = "given",
        /// What the wrapper whose text is `name` was made of: where that is a library's, it is used like `base`.
        Wrapped = "wrapped",
    }
}

/// Marks of a definition, as bits of [`DefRow::flags`].
pub mod flag {
    /// A test function or suite.
    pub const TEST: u16 = 1;
    /// Belongs to the type, not to a value.
    pub const STATIC: u16 = 1 << 1;
    /// Asynchronous.
    pub const ASYNC: u16 = 1 << 2;
    /// Exported from its module by the language's own rule.
    pub const EXPORTED: u16 = 1 << 3;
    /// The module's default export.
    pub const DEFAULT_EXPORT: u16 = 1 << 4;
    /// Declared without a body (prototype, interface method, abstract method).
    pub const DECLARATION: u16 = 1 << 5;
    /// Inside a test-only module or file region (`#[cfg(test)]`).
    pub const IN_TEST: u16 = 1 << 6;
    /// Declared as overriding something.
    pub const OVERRIDE: u16 = 1 << 7;
    /// Written by a macro or decorator that may call or register it.
    pub const DECORATED: u16 = 1 << 8;
    /// Takes a variable number of arguments.
    pub const VARIADIC: u16 = 1 << 9;
    /// Has no name in the source (anonymous class, closure that is worth a node).
    pub const ANONYMOUS: u16 = 1 << 10;
    /// A generator.
    pub const GENERATOR: u16 = 1 << 11;
    /// An accessor (`get`/`set`, `@property`): used without a call.
    pub const ACCESSOR: u16 = 1 << 12;
    /// Its signature says that it may fail: an error among the results, a `throws`, the language's own custom.
    pub const MAY_FAIL: u16 = 1 << 13;
}

/// One definition.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub struct DefRow {
    /// The simple name.
    pub name: Str,
    /// The definition that contains this one, or [`NONE`].
    pub parent: u32,
    /// The type this belongs to when it is declared outside that type (`func (d *Disk)`, `impl Disk`, `Disk::drop`).
    pub owner_type: Str,
    /// First byte, attributes, decorators and doc comment directly above included.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
    /// First byte of the name.
    pub name_at: u32,
    /// Line of `start`.
    pub start_line: u32,
    /// Last line.
    pub end_line: u32,
    /// Line of the name.
    pub name_line: u32,
    /// Byte column of the name.
    pub name_col: u16,
    /// Number of declared parameters without the receiver; `u16::MAX` when that has no meaning.
    pub params: u16,
    /// The signature on one line, without the body.
    pub signature: Str,
    /// The doc comment's text without comment marks; at most the first 400 bytes.
    pub doc: Str,
    /// Declared type (field, variable, constant) or result type (callable), as written.
    pub ty: Str,
    /// The value it is initialised with (an [`ExprRow`]), or [`NONE`]; of a callable without a declared result, what it returns.
    pub init: u32,
    /// [`Kind`] as a byte.
    pub kind: u8,
    /// [`Visibility`] as a byte.
    pub visibility: u8,
    /// Bits of [`flag`].
    pub flags: u16,
}

impl DefRow {
    /// What it is.
    pub fn kind(&self) -> Kind {
        Kind::from_byte(self.kind)
    }

    /// Who may see it.
    pub fn visibility(&self) -> Visibility {
        Visibility::from_byte(self.visibility)
    }

    /// Whether all bits of `mask` are set.
    pub fn has(&self, mask: u16) -> bool {
        self.flags & mask == mask
    }
}

/// One mention of a name that is not a definition.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub struct RefRow {
    /// The name as written (the last segment of a path).
    pub name: Str,
    /// The innermost definition around it, or [`NONE`] for the file itself.
    pub owner: u32,
    /// What stands in front of the name (an [`ExprRow`]), or [`NONE`] for a bare free name. A bare name that is a nested
    /// definition, a parameter or a local variable has [`ExprKind::LocalDef`] or [`ExprKind::LocalBind`] here, marked [`BARE`].
    pub recv: u32,
    /// First byte of the name.
    pub at: u32,
    /// Line of the name.
    pub line: u32,
    /// Byte column of the name.
    pub col: u16,
    /// [`Role`] as a byte.
    pub role: u8,
    /// [`Usage`] in the low four bits, argument count (15 = 15 or more, 14 = unknown) in the high four.
    pub detail: u8,
}

impl RefRow {
    /// The role.
    pub fn role(&self) -> Role {
        Role::from_byte(self.role)
    }

    /// What happens to the result.
    pub fn usage(&self) -> Usage {
        Usage::from_byte(self.detail & 0xf)
    }

    /// The number of arguments, where known and below fifteen.
    pub fn args(&self) -> Option<u8> {
        let count = self.detail >> 4;
        (count < 14).then_some(count)
    }
}

/// [`ExprRow::slot`] of the local that a bare mention itself is; the same local in front of a `.` has slot 0.
pub const BARE: u8 = 1;

/// One expression; see [`ExprKind`] for the meaning of the columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub struct ExprRow {
    /// [`ExprKind`] as a byte.
    pub kind: u8,
    /// For `Element`/`Index` of a tuple: the position plus one; for locals [`BARE`] where the mention is the local itself;
    /// otherwise 0.
    pub slot: u8,
    /// Always zero; keeps the row free of padding.
    pub reserved: u16,
    /// A name or a type's text.
    pub name: Str,
    /// Another expression, definition or binding.
    pub base: u32,
}

impl ExprRow {
    /// The shape.
    pub fn kind(&self) -> ExprKind {
        ExprKind::from_byte(self.kind)
    }
}

/// A parameter or local variable that some kept reference needs.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub struct BindRow {
    /// Its name.
    pub name: Str,
    /// The declared type as written, or empty.
    pub ty: Str,
    /// The value it was given (an [`ExprRow`]), or [`NONE`].
    pub init: u32,
    /// Where it becomes visible.
    pub at: u32,
}

/// Marks of an import, as bits of [`ImportRow::flags`].
pub mod import_flag {
    /// Also visible to importers of this file (`pub use`, `export .. from`).
    pub const REEXPORT: u16 = 1;
    /// Brings in every public name of the module (`*`).
    pub const WILDCARD: u16 = 1 << 1;
    /// Brings in the module itself under `alias`, not one of its names.
    pub const MODULE: u16 = 1 << 2;
    /// A static member import (Java).
    pub const STATIC: u16 = 1 << 3;
    /// The module's default export.
    pub const DEFAULT: u16 = 1 << 4;
    /// Types only.
    pub const TYPE_ONLY: u16 = 1 << 5;
    /// An include of a system header, `<..>`.
    pub const SYSTEM: u16 = 1 << 6;
    /// A sub-module declaration (`mod x;`): `module` is the module's own name.
    pub const SUBMODULE: u16 = 1 << 7;
    /// A link from one document to another, which reads it and takes nothing in.
    pub const LINK: u16 = 1 << 8;
}

/// One name brought in from elsewhere, or one re-export.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub struct ImportRow {
    /// The module as written: specifier, dotted name with leading dots, `::` path without the last name, include path.
    pub module: Str,
    /// The imported name; empty when the module itself is meant or everything is.
    pub name: Str,
    /// The name it has here.
    pub alias: Str,
    /// The definition around the statement, or [`NONE`].
    pub owner: u32,
    /// First byte of the name, or of the module where there is no name.
    pub at: u32,
    /// Line of the name, or of the module.
    pub line: u32,
    /// Byte column of the same.
    pub col: u16,
    /// Bits of [`import_flag`].
    pub flags: u16,
}

/// A name under which this module offers something that is not the definition's own name.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub struct ExportRow {
    /// The local name.
    pub local: Str,
    /// The name outside; `default` for the default export.
    pub exported: Str,
    /// First byte of the local name.
    pub at: u32,
    /// Its line.
    pub line: u32,
}

/// A type parameter, where it is known, and what bounds it. Each place that says something of it has a row: its declaration and every
/// clause of a `where`.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub struct GenericRow {
    /// Its name.
    pub name: Str,
    /// What bounds it, as written; empty where nothing does.
    pub bound: Str,
    /// First byte of the definition or `impl` that it belongs to.
    pub start: u32,
    /// One past the last byte of the same.
    pub end: u32,
    /// Its position among the arguments of the type around; [`NONE`] where a receiver does not tell it: a function's own, a clause.
    pub slot: u32,
}

byte_enum! {
    /// What a clue says.
    ClueKind {
        /// Reads an environment variable.
        Env = "env",
        /// Reads a key of a configuration.
        Config = "config",
        /// A route or awaited event is handled by this; by a function written in place where neither mention nor target is told.
        Handler = "handler",
        /// An event is announced.
        Emit = "emit",
        /// Something provided is asked for.
        Inject = "inject",
    }
}

/// What a table of libraries makes of a place: see `knowledge`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub struct ClueRow {
    /// The text: a variable's name, a key, an event.
    pub text: Str,
    /// The innermost definition around it, or [`NONE`]; of a handler the route or event.
    pub owner: u32,
    /// The mention (a [`RefRow`]) of what is meant, or [`NONE`].
    pub mention: u32,
    /// The definition of this file that is meant, or [`NONE`].
    pub target: u32,
    /// First byte.
    pub at: u32,
    /// Line.
    pub line: u32,
    /// Byte column.
    pub col: u16,
    /// The rule's number.
    pub rule: u16,
    /// [`ClueKind`] as a byte.
    pub kind: u8,
    /// How sure the reading is, in percent.
    pub sure: u8,
    /// Always zero; keeps the row free of padding.
    pub reserved: u16,
}

impl ClueRow {
    /// What it says.
    pub fn kind(&self) -> ClueKind {
        ClueKind::from_byte(self.kind)
    }
}

/// A supertype relation as written.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub struct SuperRow {
    /// The subtype's definition in this file, or [`NONE`].
    pub sub: u32,
    /// The subtype's text where the definition may be elsewhere (`impl Trait for Type`).
    pub sub_type: Str,
    /// The supertype's text as written.
    pub super_type: Str,
    /// First byte of the supertype's name.
    pub at: u32,
    /// Its line.
    pub line: u32,
    /// Its byte column.
    pub col: u16,
    /// [`Role::Extends`] or [`Role::Implements`] as a byte.
    pub role: u8,
    /// 1 when the subtype embeds the other (Go), which also promotes its members.
    pub embeds: u8,
}
