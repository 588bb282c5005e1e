//! Each rule of the macros, with a program that breaks it and the message it gives.

#[test]
fn compile_errors_say_what_and_where() {
    let cases = trybuild::TestCases::new();
    cases.pass("tests/ui/own_table_is_fine.rs");
    for rule in [
        "arguments_have_names",
        "bad_names",
        "effect_of_another_domain",
        "fixed_key_is_no_argument",
        "form_of_a_handler",
        "malformed_fixed",
        "malformed_legacy_only",
        "missing_keys",
        "parameter_is_no_extractor",
        "read_operation_asks_for_a_writer",
        "session_operation_asks_for_a_file_writer",
        "two_argument_structs",
        "unknown_and_repeated_keys",
        "unknown_domain",
        "unknown_effect",
        "unknown_places",
    ] {
        cases.compile_fail(format!("tests/ui/{rule}.rs"));
    }
}
