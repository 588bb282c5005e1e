//! The rows of the linked graph.
//!
//! A node is a number: each file owns a consecutive range, first the file itself, then its definitions in the order of
//! their rows. An edge is one mention: two nodes, the place, what it is and how sure we are.
//!
//! Knows nothing of languages.

use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

use crate::facts::model::{Role, Usage, byte_enum};

/// A node's number within one graph generation.
pub type NodeId = u32;

byte_enum! {
    /// What an edge says.
    EdgeKind {
        /// Calls, macro calls and rendered components.
        Calls = "calls",
        /// Makes a value of the type.
        Instantiates = "instantiates",
        /// Names it as a type, or hands it over as a value.
        References = "references",
        /// Reads a field, variable or constant.
        Reads = "reads",
        /// Assigns to it.
        Writes = "writes",
        /// Imports it.
        Imports = "imports",
        /// Offers it to importers.
        ReExports = "re_exports",
        /// Is a subtype by inheritance.
        Extends = "extends",
        /// Satisfies an interface or trait.
        Implements = "implements",
        /// Embeds, with promotion of members.
        Composes = "composes",
        /// A method that replaces one of a supertype.
        Overrides = "overrides",
        /// Carries it as decorator, annotation or attribute.
        Annotated = "annotated",
        /// Raises it, or says in its signature that it may.
        Throws = "throws",
        /// A route leads to what answers it.
        RoutesTo = "routes_to",
        /// An awaited event is handled by it.
        Handles = "handles",
        /// Announces an event that is awaited there.
        Emits = "emits",
        /// Is handed it by a framework.
        Injects = "injects",
        /// Contains as a member; derived from the tree, never stored.
        Contains = "contains",
    }
}

impl EdgeKind {
    /// The kind of edge that a mention in this role makes.
    pub fn of_role(role: Role, target_is_data: bool) -> EdgeKind {
        match role {
            Role::Call | Role::Render => EdgeKind::Calls,
            Role::Instantiate => EdgeKind::Instantiates,
            Role::Read if target_is_data => EdgeKind::Reads,
            Role::Read | Role::Type | Role::ParamType | Role::ReturnType | Role::FieldType | Role::GenericArg => {
                EdgeKind::References
            }
            Role::Write => EdgeKind::Writes,
            Role::Attribute => EdgeKind::Annotated,
            Role::Import => EdgeKind::Imports,
            Role::ReExport => EdgeKind::ReExports,
            Role::Extends => EdgeKind::Extends,
            Role::Implements => EdgeKind::Implements,
            Role::Throws => EdgeKind::Throws,
        }
    }

    /// Whether execution moves along it.
    pub fn is_call(self) -> bool {
        matches!(
            self,
            EdgeKind::Calls
                | EdgeKind::Instantiates
                | EdgeKind::RoutesTo
                | EdgeKind::Handles
                | EdgeKind::Emits
                | EdgeKind::Injects
        )
    }
}

byte_enum! {
    /// How an edge came to be, strongest first.
    Tier {
        /// A language server or compiler index said so.
        LspResolved = "lsp_resolved",
        /// A language server's dispatch candidate.
        LspDispatch = "lsp_dispatch",
        /// Scopes, imports and declared types leave one target.
        AstResolved = "ast_resolved",
        /// Inferred: from an initialiser, an alias, structural satisfaction, or as a dispatch candidate.
        AstInferred = "ast_inferred",
        /// The name alone.
        TextMatched = "text_matched",
    }
}

impl Tier {
    /// The coarse evidence word of answers.
    pub fn label(self) -> &'static str {
        match self {
            Tier::LspResolved | Tier::LspDispatch | Tier::AstResolved => "EXTRACTED",
            Tier::AstInferred => "INFERRED",
            Tier::TextMatched => "AMBIGUOUS",
        }
    }
}

byte_enum! {
    /// Why a mention has no edge.
    Unbound {
        /// Belongs to a package outside the tracked roots.
        External = "external",
        /// A value that is only known at run time: a parameter, a table entry.
        Dynamic = "dynamic",
        /// Nothing tells what stands in front of the name.
        UnknownReceiver = "unknown_receiver",
        /// The type in front is known and has no such member here; an external supertype may.
        NoMember = "no_member",
        /// No definition of that name is in reach.
        NoDefinition = "no_definition",
        /// Several definitions fit equally.
        Ambiguous = "ambiguous",
        /// Part of the language or its standard library.
        Builtin = "builtin",
    }
}

/// One edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub struct EdgeRow {
    /// Source node.
    pub from: NodeId,
    /// Target node.
    pub to: NodeId,
    /// Line of the mention, in the source node's file.
    pub line: u32,
    /// Byte column of the mention.
    pub col: u16,
    /// [`EdgeKind`] as a byte.
    pub kind: u8,
    /// [`Role`] as a byte.
    pub role: u8,
    /// [`Tier`] as a byte.
    pub tier: u8,
    /// Confidence in percent.
    pub confidence: u8,
    /// [`Usage`] of a call's result as a byte; of a synthesized edge the number of its rule.
    pub usage: u8,
    /// Bits of [`edge_flag`].
    pub flags: u8,
}

/// Marks of an edge, as bits of [`EdgeRow::flags`].
pub mod edge_flag {
    /// The name at the place is not the target's own name (alias, renamed import).
    pub const ALIASED: u8 = 1;
    /// Source and target are in different repositories.
    pub const CROSS_REPO: u8 = 1 << 1;
    /// Follows from a mention that is an edge of its own; nothing stands at the place.
    pub const DERIVED: u8 = 1 << 2;
    /// The subtype of an `impl` that stands here is outside the tracked roots.
    pub const FOREIGN: u8 = 1 << 3;
    /// Follows from what is known of a framework, not from a mention.
    pub const SYNTHESIZED: u8 = 1 << 4;
}

impl EdgeRow {
    /// What it says.
    pub fn kind(&self) -> EdgeKind {
        EdgeKind::from_byte(self.kind)
    }
    /// The role of the mention.
    pub fn role(&self) -> Role {
        Role::from_byte(self.role)
    }
    /// How it came to be.
    pub fn tier(&self) -> Tier {
        Tier::from_byte(self.tier)
    }
    /// What happens to the result of a call.
    pub fn usage(&self) -> Usage {
        if self.is_synthesized() { Usage::Unknown } else { Usage::from_byte(self.usage) }
    }
    /// Whether it follows from what is known of a framework.
    pub fn is_synthesized(&self) -> bool {
        self.flags & edge_flag::SYNTHESIZED != 0
    }
    /// The rule that a synthesized edge follows from.
    pub fn provenance(&self) -> Option<&'static str> {
        self.is_synthesized().then(|| crate::knowledge::rule(u16::from(self.usage))).flatten().map(|rule| rule.id)
    }
}

/// A mention without an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub struct UnboundRow {
    /// The node around the mention.
    pub owner: NodeId,
    /// The name, as an index into the graph's name table.
    pub name: u32,
    /// Line of the mention.
    pub line: u32,
    /// Byte column of the mention.
    pub col: u16,
    /// [`Role`] as a byte.
    pub role: u8,
    /// [`Unbound`] as a byte.
    pub reason: u8,
}

impl UnboundRow {
    /// Why there is no edge.
    pub fn reason(&self) -> Unbound {
        Unbound::from_byte(self.reason)
    }
    /// The role of the mention.
    pub fn role(&self) -> Role {
        Role::from_byte(self.role)
    }
}
