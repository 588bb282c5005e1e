//! YAML: keys, Kubernetes objects, compose services, pipeline jobs, interface descriptions.

use super::super::{Action, Hooks, Language};
use super::{Book, FORMAT, data};

/// YAML.
pub(in crate::lang) static YAML: Language = Language {
    name: "yaml",
    extensions: &["yaml", "yml"],
    file_names: &[".clang-format", ".clang-tidy"],
    grammar: || tree_sitter_yaml::LANGUAGE.into(),
    table: &[(
        "stream",
        Action::Hook(|walker, root| {
            let mut book = Book::new();
            for document in super::children(root).into_iter().filter(|node| node.kind() == "document") {
                data::document(walker, &mut book, document);
            }
            book.settle(walker);
        }),
    )],
    hooks: Hooks::NONE,
    ..FORMAT
};

#[cfg(test)]
mod tests {
    use crate::facts::testing::check_facts;

    #[test]
    fn kubernetes_objects_by_kind_and_name() {
        check_facts(
            "yaml",
            r"
apiVersion: apps/v1
# <- def key Deployment/web.apiVersion
kind: Deployment
# <- def key Deployment/web.kind
metadata:
# <- def key Deployment/web.metadata
  name: web
# ^ def key Deployment/web.metadata.name
#       ^ def resource Deployment/web
spec:
# <- def key Deployment/web.spec
  replicas: 2
# ^ def key Deployment/web.spec.replicas
---
kind: List
# <- def key kind
",
        );
    }

    #[test]
    fn services_of_a_compose_file() {
        check_facts(
            "yaml",
            r"
services:
# <- def key services
  db:
# ^ def service services.db
    image: postgres
#   ^ def key services.db.image
  web:
# ^ def service services.web
    build: .
#   ^ def key services.web.build
    depends_on: [db, elsewhere]
#   ^ def key services.web.depends_on
#                ^ value db
",
        );
    }

    #[test]
    fn jobs_of_pipelines() {
        check_facts(
            "yaml",
            r"
on: push
# <- def key on
jobs:
# <- def key jobs
  lint:
# ^ def job jobs.lint
    steps:
#   ^ def key jobs.lint.steps
      - uses: ./.github/actions/setup
#             ^ import /.github/actions/setup||
      - uses: actions/checkout@v4
  test:
# ^ def job jobs.test
    needs: lint
#   ^ def key jobs.test.needs
#          ^ value lint
",
        );
        check_facts(
            "yaml",
            r"
build-job:
# <- def job build-job
  script: make
# ^ def key build-job.script
settings:
# <- def key settings
  name: x
# ^ def key settings.name
",
        );
    }

    #[test]
    fn paths_and_schemas_of_an_interface_description() {
        check_facts(
            "yaml",
            r#"
openapi: 3.0.0
# <- def key openapi
paths:
# <- def key paths
  "/pets/{id}":
# ^ def endpoint paths./pets/{id}
    get:
#   ^ def endpoint paths./pets/{id}.GET /pets/{id}
      $ref: '#/components/schemas/Pet'
#           ^ type Pet
components:
# <- def key components
  schemas:
# ^ def key components.schemas
    Pet: {}
#   ^ def schema components.schemas.Pet
"#,
        );
    }
}
