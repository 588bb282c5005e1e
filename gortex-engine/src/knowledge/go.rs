//! Go.

use super::{Arg, At, Makes, On, Rule, Verb};

const GO: &[&str] = &["go"];
const GIN: &[&str] = &["github.com/gin-gonic/gin"];
const ECHO: &[&str] = &["github.com/labstack/echo"];
const CHI: &[&str] = &["github.com/go-chi/chi"];
const FIBER: &[&str] = &["github.com/gofiber/fiber"];
const MUX: &[&str] = &["github.com/gorilla/mux"];
const UPPER: &[&str] = &["GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS", "Any"];
const TITLE: &[&str] = &["Get", "Post", "Put", "Delete", "Patch", "Head", "Options", "All"];
const CALLED: Makes = Makes::Route { verb: Verb::Name, path: Arg::Nth(0), handler: Arg::Last };

pub(super) const RULES: &[Rule] = &[
    Rule::new(
        "go.getenv",
        GO,
        At::Call(&["Getenv", "LookupEnv", "Unsetenv"]),
        On::Path(&["os.Getenv", "os.LookupEnv", "os.Unsetenv", "syscall.Getenv"]),
        Makes::Env(Arg::Nth(0)),
    )
    .from(&["os", "syscall"])
    .proof(
        "package a\nimport \"os\"\nfunc f() string { return os.Getenv(\"HOME\") }\n",
        &["env HOME"],
        "package a\nimport os \"example.com/shop\"\nfunc f() string { return os.Getenv(\"HOME\") }\n",
    ),
    Rule::new(
        "viper.get",
        GO,
        At::Call(&[
            "Get", "GetString", "GetInt", "GetBool", "GetDuration", "GetStringSlice", "GetFloat64", "GetStringMap", "IsSet",
            "SetDefault", "BindEnv",
        ]),
        On::Value,
        Makes::Config(Arg::Nth(0)),
    )
    .from(&["github.com/spf13/viper"])
    .proof(
        "package a\nimport \"github.com/spf13/viper\"\nfunc f() string { return viper.GetString(\"db.host\") }\n",
        &["config db.host"],
        "package a\nimport \"example.com/viper\"\nfunc f() string { return viper.GetString(\"db.host\") }\n",
    ),
    Rule::new("gin.route", GO, At::Call(UPPER), On::Value, CALLED).from(GIN).proof(
        "package a\nimport \"github.com/gin-gonic/gin\"\nfunc show(c *gin.Context) {}\nfunc f() {\n\tr := gin.Default()\n\tv := r.Group(\"/v1\")\n\tv.GET(\"/a/:id\", show)\n}\n",
        &["route GET /v1/a/:id -> show"],
        "package a\nimport \"example.com/gin\"\nfunc show() {}\nfunc f() {\n\tr := gin.Default()\n\tr.GET(\"/a/:id\", show)\n}\n",
    ),
    Rule::new("gin.group", GO, At::Call(&["Group"]), On::Value, Makes::Prefix(Arg::Nth(0))).from(&[
        "github.com/gin-gonic/gin",
        "github.com/labstack/echo",
        "github.com/gofiber/fiber",
    ])
    .proof(
        "package a\nimport \"github.com/gin-gonic/gin\"\nfunc show(c *gin.Context) {}\nfunc f(r *gin.Engine) {\n\tr.Group(\"/a\").POST(\"/b\", show)\n}\n",
        &["route POST /a/b -> show"],
        "package a\nfunc show() {}\nfunc f(r *Engine) {\n\tr.Group(\"/a\").POST(\"/b\", show)\n}\n",
    ),
    Rule::new("echo.route", GO, At::Call(UPPER), On::Value, Makes::Route { verb: Verb::Name, path: Arg::Nth(0), handler: Arg::Nth(1) })
        .from(ECHO)
        .proof(
            "package a\nimport \"github.com/labstack/echo/v4\"\nfunc show(c echo.Context) error { return nil }\nfunc f() {\n\te := echo.New()\n\te.GET(\"/a\", show)\n}\n",
            &["route GET /a -> show"],
            "package a\nimport \"example.com/echo\"\nfunc show() {}\nfunc f() {\n\te := echo.New()\n\te.GET(\"/a\", show)\n}\n",
        ),
    Rule::new("chi.route", GO, At::Call(TITLE), On::Value, CALLED).from(CHI).proof(
        "package a\nimport \"github.com/go-chi/chi/v5\"\nfunc show() {}\nfunc f() {\n\tr := chi.NewRouter()\n\tr.Route(\"/a\", func(r chi.Router) {\n\t\tr.Get(\"/b\", show)\n\t})\n}\n",
        &["route GET /a/b -> show"],
        "package a\nfunc show() {}\nfunc f(r Router) {\n\tr.Get(\"/b\", show)\n}\n",
    ),
    Rule::new("chi.group", GO, At::Call(&["Route", "Mount"]), On::Value, Makes::Prefix(Arg::Nth(0))).from(CHI).proof(
        "package a\nimport \"github.com/go-chi/chi/v5\"\nfunc show() {}\nfunc f(r chi.Router) {\n\tr.Route(\"/x\", func(r chi.Router) { r.Put(\"/y\", show) })\n}\n",
        &["route PUT /x/y -> show"],
        "package a\nfunc show() {}\nfunc f(r Router) {\n\tr.Route(\"/x\", func(r Router) { r.Put(\"/y\", show) })\n}\n",
    ),
    Rule::new("fiber.route", GO, At::Call(TITLE), On::Value, CALLED).from(FIBER).proof(
        "package a\nimport \"github.com/gofiber/fiber/v2\"\nfunc show(c *fiber.Ctx) error { return nil }\nfunc f() {\n\tapp := fiber.New()\n\tapp.Get(\"/a\", show)\n}\n",
        &["route GET /a -> show"],
        "package a\nimport \"example.com/fiber\"\nfunc show() {}\nfunc f() {\n\tapp := fiber.New()\n\tapp.Get(\"/a\", show)\n}\n",
    ),
    Rule::new(
        "http.handle",
        GO,
        At::Call(&["HandleFunc", "Handle"]),
        On::Value,
        Makes::Route { verb: Verb::InPath, path: Arg::Nth(0), handler: Arg::Nth(1) },
    )
    .from(&["net/http", "github.com/gorilla/mux"])
    .proof(
        "package a\nimport \"net/http\"\nfunc show(w http.ResponseWriter, r *http.Request) {}\nfunc f() {\n\thttp.HandleFunc(\"/a\", show)\n\tm := http.NewServeMux()\n\tm.HandleFunc(\"POST /b\", show)\n}\n",
        &["route ANY /a -> show", "route POST /b -> show"],
        "package a\nfunc show() {}\nfunc f(m *Mux) {\n\tm.HandleFunc(\"/a\", show)\n}\n",
    ),
    Rule::new("mux.prefix", GO, At::Call(&["PathPrefix"]), On::Value, Makes::Prefix(Arg::Nth(0))).from(MUX).proof(
        "package a\nimport \"github.com/gorilla/mux\"\nfunc show() {}\nfunc f() {\n\tr := mux.NewRouter()\n\tr.HandleFunc(\"/b\", show)\n}\n",
        &["route ANY /b -> show"],
        "package a\nfunc show() {}\nfunc f(r *Router) {\n\tr.HandleFunc(\"/b\", show)\n}\n",
    ),
];
