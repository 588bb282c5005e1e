//! Rust, Ruby, PHP, C#, Elixir, Swift, C and what else reads an environment.

use super::{Arg, At, Makes, On, Rule, Verb};

const RUST: &[&str] = &["rust"];
const RUBY: &[&str] = &["ruby"];
const PHP: &[&str] = &["php"];
const CS: &[&str] = &["csharp"];
const ASP: &[&str] = &["Microsoft.AspNetCore"];
const LARAVEL: &[&str] = &["Illuminate"];
const SYMFONY: &[&str] = &["Symfony.Component.Routing", "Symfony.Component"];
const FIRST_ENV: Makes = Makes::Env(Arg::Nth(0));
const VERBS: &[&str] = &["get", "post", "put", "delete", "patch", "head", "options"];

pub(super) const RULES: &[Rule] = &[
    Rule::new(
        "rust.env",
        RUST,
        At::Call(&["var", "var_os", "set_var", "remove_var"]),
        On::Path(&["std.env.var", "std.env.var_os", "std.env.set_var", "std.env.remove_var"]),
        FIRST_ENV,
    )
    .proof(
        "use std::env;\nfn f() { let a = env::var(\"HOME\"); let b = std::env::var_os(\"USER\"); }\n",
        &["env HOME", "env USER"],
        "use shop::env;\nfn f() { let a = env::var(\"HOME\"); }\n",
    ),
    Rule::new("rust.env_macro", RUST, At::Call(&["env", "option_env"]), On::Path(&["env", "option_env"]), FIRST_ENV).proof(
        "fn f() { let a = env!(\"CARGO_PKG_NAME\"); }\n",
        &["env CARGO_PKG_NAME"],
        "use shop::env;\nfn f() { let a = env!(\"CARGO_PKG_NAME\"); }\n",
    ),
    Rule::new(
        "axum.route",
        RUST,
        At::Call(&["route"]),
        On::Value,
        Makes::Route { verb: Verb::Wrapped, path: Arg::Nth(0), handler: Arg::Nth(1) },
    )
    .from(&["axum"])
    .proof(
        "use axum::{Router, routing::get};\nasync fn list() {}\nasync fn make() {}\nfn f() -> Router { Router::new().nest(\"/v1\", Router::new().route(\"/a\", get(list).post(make))) }\n",
        &["route GET /v1/a -> list", "route POST /v1/a -> make"],
        "use shop::Router;\nasync fn list() {}\nfn f() -> Router { Router::new().route(\"/a\", get(list)) }\n",
    ),
    Rule::new("axum.nest", RUST, At::Call(&["nest"]), On::Value, Makes::Prefix(Arg::Nth(0))).from(&["axum"]).proof(
        "use axum::{Router, routing::put};\nasync fn save() {}\nfn f() -> Router { Router::new().nest(\"/b\", Router::new().route(\"/c\", put(save))) }\n",
        &["route PUT /b/c -> save"],
        "use shop::{Router, put};\nasync fn save() {}\nfn f() -> Router { Router::new().nest(\"/b\", Router::new().route(\"/c\", put(save))) }\n",
    ),
    Rule::new(
        "actix.route",
        RUST,
        At::Call(VERBS),
        On::Imported,
        Makes::Route { verb: Verb::Name, path: Arg::Nth(0), handler: Arg::Carrier },
    )
    .from(&["actix_web", "rocket"])
    .proof(
        "use actix_web::get;\n#[get(\"/a/{id}\")]\nasync fn show() {}\n",
        &["route GET /a/{id} -> show"],
        "use shop::get;\n#[get(\"/a/{id}\")]\nasync fn show() {}\n",
    ),
    Rule::new("ruby.env", RUBY, At::Index(&["ENV"]), On::Path(&["ENV"]), FIRST_ENV).proof(
        "a = ENV[\"HOME\"]\n",
        &["env HOME"],
        "a = Shop::ENV[\"HOME\"]\n",
    ),
    Rule::new("ruby.env_fetch", RUBY, At::Call(&["fetch", "key?", "delete"]), On::Path(&["ENV.fetch", "ENV.key?", "ENV.delete"]), FIRST_ENV)
        .proof("a = ENV.fetch(\"HOME\", \"/\")\n", &["env HOME"], "a = CACHE.fetch(\"HOME\", \"/\")\n"),
    Rule::new("php.getenv", PHP, At::Call(&["getenv", "putenv"]), On::Path(&["getenv", "putenv"]), FIRST_ENV).proof(
        "<?php\n$a = getenv('HOME');\n",
        &["env HOME"],
        "<?php\n$a = $x->getenv('HOME');\n",
    ),
    Rule::new("laravel.env", PHP, At::Call(&["env"]), On::Path(&["env"]), FIRST_ENV).proof(
        "<?php\n$a = env('APP_KEY');\n",
        &["env APP_KEY"],
        "<?php\nfunction env($x) {}\n$a = env('APP_KEY');\n",
    ),
    Rule::new("laravel.config", PHP, At::Call(&["config"]), On::Path(&["config"]), Makes::Config(Arg::Nth(0))).proof(
        "<?php\n$a = config('app.name');\n",
        &["config app.name"],
        "<?php\nfunction config($x) {}\n$a = config('app.name');\n",
    ),
    Rule::new(
        "laravel.config_facade",
        PHP,
        At::Call(&["get", "set", "has"]),
        On::Path(&["Illuminate.Support.Facades.Config.get", "Illuminate.Support.Facades.Config.set", "Illuminate.Support.Facades.Config.has"]),
        Makes::Config(Arg::Nth(0)),
    )
    .proof(
        "<?php\nuse Illuminate\\Support\\Facades\\Config;\n$a = Config::get('app.name');\n",
        &["config app.name"],
        "<?php\nuse Shop\\Config;\n$a = Config::get('app.name');\n",
    ),
    Rule::new(
        "laravel.route",
        PHP,
        At::Call(&["get", "post", "put", "delete", "patch", "options", "any"]),
        On::Value,
        Makes::Route { verb: Verb::Name, path: Arg::Nth(0), handler: Arg::Nth(1) },
    )
    .from(&["Illuminate.Support.Facades.Route"])
    .proof(
        "<?php\nuse Illuminate\\Support\\Facades\\Route;\nuse App\\Users;\nRoute::get('/a/{id}', [Users::class, 'show']);\n",
        &["route GET /a/{id} -> Users", "route GET /a/{id} -> show"],
        "<?php\nuse Shop\\Route;\nuse App\\Users;\nRoute::get('/a/{id}', [Users::class, 'show']);\n",
    ),
    Rule::new("laravel.prefix", PHP, At::Call(&["prefix"]), On::Value, Makes::Prefix(Arg::Nth(0))).from(LARAVEL).proof(
        "<?php\nuse Illuminate\\Support\\Facades\\Route;\nuse App\\Users;\nRoute::prefix('b')->get('/c', [Users::class, 'all']);\n",
        &["route GET /b/c -> Users", "route GET /b/c -> all"],
        "<?php\nuse App\\Users;\nRoute::prefix('b')->get('/c', [Users::class, 'all']);\n",
    ),
    Rule::new(
        "symfony.route",
        PHP,
        At::Call(&["Route"]),
        On::Imported,
        Makes::Route { verb: Verb::Keyword("methods", "ANY"), path: Arg::Named(&["path"], 0), handler: Arg::Carrier },
    )
    .from(SYMFONY)
    .proof(
        "<?php\nuse Symfony\\Component\\Routing\\Attribute\\Route;\nclass A {\n  #[Route('/a', name: 'a', methods: ['GET'])]\n  function show() {}\n}\n",
        &["route GET /a -> show"],
        "<?php\nuse Shop\\Route;\nclass A {\n  #[Route('/a', name: 'a', methods: ['GET'])]\n  function show() {}\n}\n",
    ),
    Rule::new(
        "dotnet.env",
        CS,
        At::Call(&["GetEnvironmentVariable", "SetEnvironmentVariable"]),
        On::Path(&["Environment.GetEnvironmentVariable", "System.Environment.GetEnvironmentVariable", "Environment.SetEnvironmentVariable"]),
        FIRST_ENV,
    )
    .proof(
        "class A { string F() { return Environment.GetEnvironmentVariable(\"HOME\"); } }\n",
        &["env HOME"],
        "class A { string F(Shop s) { return s.GetEnvironmentVariable(\"HOME\"); } }\n",
    ),
    Rule::new("dotnet.config", CS, At::Call(&["GetValue", "GetSection", "GetConnectionString"]), On::Value, Makes::Config(Arg::Nth(0)))
        .from(&["IConfiguration", "IConfigurationRoot", "ConfigurationManager", "Microsoft.Extensions.Configuration", "WebApplication.CreateBuilder"])
        .proof(
            "class A { string F(IConfiguration c) { return c.GetValue<string>(\"Db:Host\"); } }\n",
            &["config Db:Host"],
            "class A { string F(Shop c) { return c.GetValue<string>(\"Db:Host\"); } }\n",
        ),
    Rule::new(
        "aspnet.route",
        CS,
        At::Call(&["HttpGet", "HttpPost", "HttpPut", "HttpDelete", "HttpPatch"]),
        On::Imported,
        Makes::Route { verb: Verb::Name, path: Arg::Nth(0), handler: Arg::Carrier },
    )
    .from(ASP)
    .proof(
        "using Microsoft.AspNetCore.Mvc;\n[Route(\"api/[controller]\")]\nclass UsersController {\n  [HttpGet(\"{id}\")]\n  public int Show() { return 1; }\n  [HttpPost]\n  public int Make() { return 1; }\n}\n",
        &["route GET /api/Users/{id} -> Show", "route POST /api/Users -> Make"],
        "using Shop;\nclass UsersController {\n  [HttpGet(\"{id}\")]\n  public int Show() { return 1; }\n}\n",
    ),
    Rule::new("aspnet.prefix", CS, At::Call(&["Route", "RoutePrefix"]), On::Imported, Makes::Prefix(Arg::Nth(0))).from(ASP).proof(
        "using Microsoft.AspNetCore.Mvc;\n[Route(\"v1\")]\nclass A {\n  [HttpPut(\"b\")]\n  public int B() { return 1; }\n}\n",
        &["route PUT /v1/b -> B"],
        "[Route(\"v1\")]\nclass A {\n  [HttpPut(\"b\")]\n  public int B() { return 1; }\n}\n",
    ),
    Rule::new(
        "aspnet.map",
        CS,
        At::Call(&["MapGet", "MapPost", "MapPut", "MapDelete", "MapPatch"]),
        On::Value,
        Makes::Route { verb: Verb::Name, path: Arg::Nth(0), handler: Arg::Nth(1) },
    )
    .from(&["WebApplication", "IEndpointRouteBuilder", "RouteGroupBuilder", "Microsoft.AspNetCore"])
    .proof(
        "class A {\n  static int Show() { return 1; }\n  void F(WebApplication app) { app.MapGet(\"/a\", Show); }\n}\n",
        &["route GET /a -> Show"],
        "class A {\n  static int Show() { return 1; }\n  void F(Shop app) { app.MapGet(\"/a\", Show); }\n}\n",
    ),
    Rule::new(
        "elixir.env",
        &["elixir"],
        At::Call(&["get_env", "fetch_env", "fetch_env!"]),
        On::Path(&["System.get_env", "System.fetch_env", "System.fetch_env!"]),
        FIRST_ENV,
    )
    .proof(
        "defmodule A do\n  def f, do: System.get_env(\"HOME\")\nend\n",
        &["env HOME"],
        "defmodule A do\n  def f, do: Shop.get_env(\"HOME\")\nend\n",
    ),
    Rule::new("swift.env", &["swift"], At::Index(&["environment"]), On::Path(&["ProcessInfo.processInfo.environment"]), FIRST_ENV).proof(
        "let a = ProcessInfo.processInfo.environment[\"HOME\"]\n",
        &["env HOME"],
        "let a = shop.environment[\"HOME\"]\n",
    ),
    Rule::new(
        "c.getenv",
        &["c", "cpp"],
        At::Call(&["getenv", "secure_getenv", "setenv", "unsetenv"]),
        On::Path(&["getenv", "std.getenv", "secure_getenv", "setenv", "unsetenv"]),
        FIRST_ENV,
    )
    .proof("int f() { return getenv(\"HOME\") != 0; }\n", &["env HOME"], "int getenv(const char *x) { return 0; }\nint f() { return getenv(\"HOME\"); }\n"),
    Rule::new("dart.env", &["dart"], At::Index(&["environment"]), On::Path(&["Platform.environment"]), FIRST_ENV).proof(
        "var a = Platform.environment['HOME'];\n",
        &["env HOME"],
        "var a = shop.environment['HOME'];\n",
    ),
    Rule::new(
        "dart.defined",
        &["dart"],
        At::Call(&["fromEnvironment"]),
        On::Path(&["String.fromEnvironment", "bool.fromEnvironment", "int.fromEnvironment"]),
        FIRST_ENV,
    )
    .proof("const a = String.fromEnvironment('KEY');\n", &["env KEY"], "const a = Shop.fromEnvironment('KEY');\n"),
    Rule::new("lua.getenv", &["lua"], At::Call(&["getenv"]), On::Path(&["os.getenv"]), FIRST_ENV).proof(
        "local a = os.getenv(\"HOME\")\n",
        &["env HOME"],
        "local a = shop.getenv(\"HOME\")\n",
    ),
    Rule::new(
        "ocaml.getenv",
        &["ocaml"],
        At::Call(&["getenv", "getenv_opt"]),
        On::Path(&["Sys.getenv", "Sys.getenv_opt", "Unix.getenv"]),
        FIRST_ENV,
    )
    .proof("let a = Sys.getenv \"HOME\"\n", &["env HOME"], "let a = Shop.getenv \"HOME\"\n"),
    Rule::new("haskell.env", &["haskell"], At::Call(&["lookupEnv", "getEnv", "setEnv"]), On::Imported, FIRST_ENV)
        .from(&["System.Environment"])
        .proof(
            "import System.Environment\nmain = do\n  a <- lookupEnv \"HOME\"\n  getEnv \"USER\"\n",
            &["env HOME", "env USER"],
            "import Shop\nmain = do\n  a <- lookupEnv \"HOME\"\n  getEnv \"USER\"\n",
        ),
    Rule::new(
        "zig.env",
        &["zig"],
        At::Call(&["getEnvVarOwned", "hasEnvVarConstant", "getenv"]),
        On::Path(&["std.process.getEnvVarOwned", "std.process.hasEnvVarConstant", "std.posix.getenv"]),
        Makes::Env(Arg::FirstText),
    )
    .proof(
        "const std = @import(\"std\");\nconst x = std.process.getEnvVarOwned(a, \"HOME\");\n",
        &["env HOME"],
        "const std = @import(\"shop.zig\");\nconst x = std.getEnvVarOwned(a, \"HOME\");\n",
    ),
    Rule::new("shell.variable", &["bash"], At::Shell, On::Value, FIRST_ENV).proof(
        "echo \"$HOME\" ${USER:-x}\n",
        &["env HOME", "env USER"],
        "HOME=1\necho \"$HOME\" $name\n",
    ),
];
