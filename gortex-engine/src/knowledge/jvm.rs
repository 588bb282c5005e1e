//! Java, Kotlin and Scala.

use super::{Arg, At, Makes, On, Rule, Verb};

const JVM: &[&str] = &["java", "kotlin", "scala"];
const SPRING: &[&str] = &["org.springframework.web.bind.annotation"];
const JAX: &[&str] = &["javax.ws.rs", "jakarta.ws.rs"];
const MICRONAUT: &[&str] = &["io.micronaut.http.annotation"];
const PATH: Arg = Arg::Named(&["value", "path"], 0);

pub(super) const RULES: &[Rule] = &[
    Rule::new("java.getenv", JVM, At::Call(&["getenv"]), On::Path(&["System.getenv", "java.lang.System.getenv"]), Makes::Env(Arg::Nth(0)))
        .proof(
            "class A { String f() { return System.getenv(\"HOME\"); } }\n",
            &["env HOME"],
            "import shop.System;\nclass A { String f() { return System.getenv(\"HOME\"); } }\n",
        ),
    Rule::new("scala.env", &["scala"], At::Call(&["env", "get", "getOrElse"]), On::Path(&["sys.env", "sys.env.get", "sys.env.getOrElse"]), Makes::Env(Arg::Nth(0)))
        .proof(
            "object A { val a = sys.env(\"HOME\"); val b = sys.env.get(\"USER\") }\n",
            &["env HOME", "env USER"],
            "object A { val a = shop.env(\"HOME\"); val b = Map().get(\"USER\") }\n",
        ),
    Rule::new(
        "java.property",
        JVM,
        At::Call(&["getProperty", "setProperty", "getInteger", "getBoolean"]),
        On::Path(&["System.getProperty", "System.setProperty", "Integer.getInteger", "Boolean.getBoolean"]),
        Makes::Config(Arg::Nth(0)),
    )
    .proof(
        "class A { String f() { return System.getProperty(\"user.home\"); } }\n",
        &["config user.home"],
        "class A { String f(Props p) { return p.getProperty(\"user.home\"); } }\n",
    ),
    Rule::new("spring.value", JVM, At::Call(&["Value"]), On::Imported, Makes::Config(Arg::Named(&["value"], 0)))
        .from(&["org.springframework.beans.factory.annotation"])
        .proof(
            "import org.springframework.beans.factory.annotation.Value;\nclass A { @Value(\"${app.name:x}\") String name; }\n",
            &["config app.name"],
            "import lombok.Value;\nclass A { @Value(\"${app.name:x}\") String name; }\n",
        ),
    Rule::new(
        "spring.environment",
        JVM,
        At::Call(&["getProperty", "getRequiredProperty", "containsProperty"]),
        On::Value,
        Makes::Config(Arg::Nth(0)),
    )
    .from(&["org.springframework.core.env"])
    .proof(
        "import org.springframework.core.env.Environment;\nclass A { String f(Environment env) { return env.getProperty(\"app.name\"); } }\n",
        &["config app.name"],
        "class A { String f(Environment env) { return env.getProperty(\"app.name\"); } }\n",
    ),
    Rule::new(
        "spring.route",
        JVM,
        At::Call(&["GetMapping", "PostMapping", "PutMapping", "DeleteMapping", "PatchMapping"]),
        On::Imported,
        Makes::Route { verb: Verb::Name, path: PATH, handler: Arg::Carrier },
    )
    .from(SPRING)
    .proof(
        "import org.springframework.web.bind.annotation.*;\n@RequestMapping(\"/owners\")\nclass A {\n  @GetMapping(\"/{id}\") String show() { return null; }\n  @PostMapping String make() { return null; }\n}\n",
        &["route GET /owners/{id} -> show", "route POST /owners -> make"],
        "import shop.GetMapping;\nclass A {\n  @GetMapping(\"/{id}\") String show() { return null; }\n}\n",
    ),
    Rule::new(
        "spring.request",
        JVM,
        At::Call(&["RequestMapping"]),
        On::Imported,
        Makes::Route { verb: Verb::Keyword("method", "ANY"), path: PATH, handler: Arg::Carrier },
    )
    .from(SPRING)
    .proof(
        "import org.springframework.web.bind.annotation.RequestMapping;\nimport org.springframework.web.bind.annotation.RequestMethod;\nclass A {\n  @RequestMapping(path = {\"/a\", \"/b\"}, method = RequestMethod.POST) String show() { return null; }\n}\n",
        &["route POST /a -> show", "route POST /b -> show"],
        "class A {\n  @RequestMapping(\"/a\") String show() { return null; }\n}\n",
    ),
    Rule::new(
        "jax.route",
        JVM,
        At::Call(&["GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS"]),
        On::Imported,
        Makes::Route { verb: Verb::Name, path: Arg::Beside("Path"), handler: Arg::Carrier },
    )
    .from(JAX)
    .proof(
        "import jakarta.ws.rs.*;\n@Path(\"/a\")\nclass A {\n  @GET @Path(\"{id}\") String show() { return null; }\n  @POST String make() { return null; }\n}\n",
        &["route GET /a/{id} -> show", "route POST /a -> make"],
        "class A {\n  @GET @Path(\"{id}\") String show() { return null; }\n}\n",
    ),
    Rule::new("jax.path", JVM, At::Call(&["Path"]), On::Imported, Makes::Prefix(PATH)).from(JAX).proof(
        "import javax.ws.rs.Path;\nimport javax.ws.rs.GET;\n@Path(\"/a\")\nclass A { @GET String all() { return null; } }\n",
        &["route GET /a -> all"],
        "import java.nio.file.Path;\n@Path(\"/a\")\nclass A { @GET String all() { return null; } }\n",
    ),
    Rule::new(
        "micronaut.route",
        JVM,
        At::Call(&["Get", "Post", "Put", "Delete", "Patch"]),
        On::Imported,
        Makes::Route { verb: Verb::Name, path: Arg::Named(&["value", "uri"], 0), handler: Arg::Carrier },
    )
    .from(MICRONAUT)
    .proof(
        "import io.micronaut.http.annotation.*;\n@Controller(\"/a\")\nclass A { @Get(\"/b\") String b() { return null; } }\n",
        &["route GET /a/b -> b"],
        "class A { @Get(\"/b\") String b() { return null; } }\n",
    ),
    Rule::new("micronaut.controller", JVM, At::Call(&["Controller"]), On::Imported, Makes::Prefix(PATH)).from(MICRONAUT).proof(
        "import io.micronaut.http.annotation.*;\n@Controller(\"/c\")\nclass A { @Put(\"/d\") String d() { return null; } }\n",
        &["route PUT /c/d -> d"],
        "@Controller(\"/c\")\nclass A { @Put(\"/d\") String d() { return null; } }\n",
    ),
];
