//! XML: elements that have a name, by attribute or by what stands in them.

use tree_sitter::Node;

use super::super::{Action, Hooks, Language};
use super::{Book, DEPTH, FORMAT, child, children, inside, unquote};
use crate::facts::model::Kind;
use crate::facts::walker::{NewDef, Walker};

/// XML.
pub(in crate::lang) static XML: Language = Language {
    name: "xml",
    extensions: &[
        "xml",
        "xsd",
        "xsl",
        "xslt",
        "wsdl",
        "csproj",
        "vbproj",
        "fsproj",
        "props",
        "targets",
        "xaml",
        "plist",
        "storyboard",
    ],
    line_comment: "<!--",
    grammar: || tree_sitter_xml::LANGUAGE_XML.into(),
    table: &[("document", Action::Hook(document))],
    hooks: Hooks::NONE,
    ..FORMAT
};

/// Attributes that name their element.
const NAMES: &[&str] = &["id", "name", "key", "x:Name", "x:Key", "android:id", "android:name", "Name", "Include"];
/// Elements whose text names the element around them.
const NAMING: &[&str] = &["artifactId", "id", "name"];
/// How deep named elements are looked for.
const NAMED_DEPTH: usize = 8;

fn document(walker: &mut Walker<'_>, root: Node<'_>) {
    let mut book = Book::new();
    for node in children(root).into_iter().filter(|node| node.kind() == "element") {
        element(walker, &mut book, node, 0);
    }
}

fn element<'t>(walker: &mut Walker<'_>, book: &mut Book<'t>, node: Node<'t>, depth: usize) {
    let Some(tag) = child(node, "STag").or_else(|| child(node, "EmptyElemTag")) else { return };
    let Some(tag_name) = child(tag, "Name") else { return };
    let content = child(node, "content");
    let inner: Vec<Node<'t>> =
        content.map(children).unwrap_or_default().into_iter().filter(|node| node.kind() == "element").collect();
    let named = attribute_name(walker, tag).or_else(|| inner.iter().find_map(|inner| text_name(walker, *inner)));
    let place = named.unwrap_or(tag_name);
    let name = unquote(walker.text(place)).to_owned();
    // An element without a name is worth telling near the root, where its tag says what part of the file it is.
    let def = if named.is_some() || (depth < DEPTH - 1 && !inner.is_empty()) {
        book.define(walker, NewDef::new(Kind::Element, node, place).body(content), &name)
    } else {
        None
    };
    if let Some(def) = def {
        let ty = walker.intern(walker.text(tag_name));
        walker.def_mut(def).ty = ty;
    }
    if depth < NAMED_DEPTH {
        inside(walker, def, |walker| {
            for inner in inner {
                element(walker, book, inner, depth + 1);
            }
        });
    }
}

fn attribute_name<'t>(walker: &Walker<'_>, tag: Node<'t>) -> Option<Node<'t>> {
    let attributes = || children(tag).into_iter().filter(|attribute| attribute.kind() == "Attribute");
    NAMES.iter().find_map(|wanted| {
        let found = attributes().find(|attribute| child(*attribute, "Name").is_some_and(|name| walker.text(name) == *wanted))?;
        child(found, "AttValue").filter(|value| !unquote(walker.text(*value)).is_empty())
    })
}

/// The text of a naming element that holds nothing else.
fn text_name<'t>(walker: &Walker<'_>, node: Node<'t>) -> Option<Node<'t>> {
    let tag = child(child(node, "STag")?, "Name")?;
    let content = child(node, "content").filter(|content| content.named_child_count() == 1)?;
    let text = child(content, "CharData")?;
    let is_word = !walker.text(text).trim().is_empty() && !walker.text(text).contains('\n');
    (NAMING.contains(&walker.text(tag)) && is_word).then_some(text)
}

#[cfg(test)]
mod tests {
    use crate::facts::testing::check_facts;

    #[test]
    fn elements_with_a_name() {
        check_facts(
            "xml",
            r#"
    <beans>
<!-- ^ def element beans -->
  <bean id="svc" class="a.B"><property name="x" value="1"/></bean>
<!--       ^ def element beans.svc -->
<!--                                        ^ def element beans.svc.x -->
  <note>told by nothing</note>
    </beans>
"#,
        );
    }

    #[test]
    fn elements_named_by_what_stands_in_them() {
        check_facts(
            "xml",
            r"
     <project>
     <artifactId>app</artifactId>
<!--             ^ def element app -->
    <dependencies>
<!-- ^ def element app.dependencies -->
    <dependency><groupId>g</groupId><artifactId>lib</artifactId></dependency>
<!--                                            ^ def element app.dependencies.lib -->
    </dependencies>
     </project>
",
        );
    }
}
