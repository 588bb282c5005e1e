//! Which files use which, and how closely: code that uses a good hit, or is used by it, is often changed with it.
//!
//! A pair of files is as close as the logarithm of their mentions of each other, against all mentions of the two: a file that
//! everything uses is close to nothing. Knows the graph's edges only.

use rustc_hash::FxHashMap;

use crate::graph::{EdgeKind, Graph};

/// Pairs of files with their closeness, both ways.
#[derive(Debug, Default)]
pub struct FileLinks {
    /// Where the rows of a file begin; one more than there are files.
    index: Vec<u32>,
    rows: Vec<(u32, f32)>,
}

impl FileLinks {
    /// Adds up the edges of a graph.
    #[must_use]
    pub fn build(graph: &Graph) -> FileLinks {
        let mut pairs: FxHashMap<(u32, u32), f32> = FxHashMap::default();
        let (mut node, mut from) = (u32::MAX, 0);
        for edge in graph.edges() {
            if edge.from != node {
                (node, from) = (edge.from, graph.file_index(edge.from));
            }
            let to = graph.file_index(edge.to);
            if to != from {
                *pairs.entry((from as u32, to as u32)).or_default() += weight(edge.kind());
            }
        }
        let mut pairs: Vec<((u32, u32), f32)> = pairs.into_iter().map(|(pair, sum)| (pair, (1.0 + sum).ln())).collect();
        // The sums below must not depend on the order of a map.
        pairs.sort_unstable_by_key(|(pair, _)| *pair);
        let files = graph.files.len();
        let (mut uses, mut used) = (vec![0.0f32; files], vec![0.0f32; files]);
        for ((from, to), sum) in &pairs {
            uses[*from as usize] += sum;
            used[*to as usize] += sum;
        }
        let mut rows: Vec<(u32, u32, f32)> = Vec::with_capacity(pairs.len() * 2);
        for ((from, to), sum) in pairs {
            let close = sum / (uses[from as usize] * used[to as usize]).sqrt();
            rows.extend([(from, to, close), (to, from, close)]);
        }
        rows.sort_unstable_by_key(|(from, to, _)| (*from, *to));
        let mut index = vec![0u32; files + 1];
        for (from, _, _) in &rows {
            index[*from as usize + 1] += 1;
        }
        for at in 1..index.len() {
            index[at] += index[at - 1];
        }
        FileLinks { index, rows: rows.into_iter().map(|(_, to, close)| (to, close)).collect() }
    }

    /// Files close to a file, with their closeness.
    pub fn of(&self, file: usize) -> impl Iterator<Item = (usize, f32)> + '_ {
        let range = match self.index.get(file..file + 2) {
            Some([from, to]) => *from as usize..*to as usize,
            _ => 0..0,
        };
        self.rows.get(range).unwrap_or(&[]).iter().map(|(to, close)| (*to as usize, *close))
    }
}

/// What one mention says of two files.
fn weight(kind: EdgeKind) -> f32 {
    match kind {
        EdgeKind::Extends | EdgeKind::Implements | EdgeKind::Overrides => 1.5,
        EdgeKind::Calls | EdgeKind::Instantiates | EdgeKind::Imports | EdgeKind::Composes => 1.0,
        EdgeKind::References => 0.7,
        EdgeKind::RoutesTo | EdgeKind::Handles | EdgeKind::Emits | EdgeKind::Injects => 1.0,
        EdgeKind::Reads | EdgeKind::Writes | EdgeKind::ReExports | EdgeKind::Annotated | EdgeKind::Contains => 0.5,
        // What is raised there is mentioned by another row as well.
        EdgeKind::Throws => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::build::graph_of;

    #[test]
    fn a_file_is_closer_to_its_only_user_than_to_one_of_many() {
        let user = "from hub import helper\nfrom part import piece\n\ndef one():\n    helper()\n    piece()\n";
        let other = "from hub import helper\n\ndef two():\n    helper()\n";
        let files = [
            ("a.py", user),
            ("b.py", other),
            ("c.py", other),
            ("hub.py", "def helper():\n    pass\n"),
            ("part.py", "def piece():\n    pass\n"),
        ];
        let graph = graph_of(&files);
        let links = FileLinks::build(&graph);
        let close: Vec<(usize, f32)> = links.of(0).collect();
        assert_eq!(close.iter().map(|(to, _)| *to).collect::<Vec<_>>(), [3, 4]);
        assert!(close[1].1 > close[0].1, "{close:?}");
        assert!(links.of(4).map(|(to, _)| to).eq([0]) && links.of(99).next().is_none());
    }
}
