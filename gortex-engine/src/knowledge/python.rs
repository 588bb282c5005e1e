//! Python.

use super::{Arg, At, Makes, On, Rule, Verb};

const PY: &[&str] = &["python"];
const FLASK: &[&str] = &["flask", "flask_restful", "quart", "flask_openapi3"];
const FASTAPI: &[&str] = &["fastapi", "starlette"];
const DJANGO_URLS: &[&str] = &["django.urls", "django.conf.urls"];
const VERBS: &[&str] = &["get", "post", "put", "delete", "patch", "head", "options"];
const DECORATED: Makes = Makes::Route { verb: Verb::Name, path: Arg::Nth(0), handler: Arg::Carrier };

pub(super) const RULES: &[Rule] = &[
    Rule::new(
        "python.environ",
        PY,
        At::Index(&["environ", "environb"]),
        On::Path(&["os.environ", "os.environb"]),
        Makes::Env(Arg::Nth(0)),
    )
    .proof("import os\na = os.environ[\"HOME\"]\n", &["env HOME"], "a = os.environ[\"HOME\"]\nimport shop as os\n"),
    Rule::new(
        "python.getenv",
        PY,
        At::Call(&["getenv", "get", "pop", "setdefault"]),
        On::Path(&["os.getenv", "os.environ.get", "os.environ.pop", "os.environ.setdefault"]),
        Makes::Env(Arg::Nth(0)),
    )
    .proof(
        "from os import getenv, environ\na = getenv(\"HOME\")\nb = environ.get(\"USER\", \"\")\n",
        &["env HOME", "env USER"],
        "from shop import getenv\na = getenv(\"HOME\")\nb = {}.get(\"USER\")\n",
    ),
    Rule::new(
        "decouple.config",
        PY,
        At::Call(&["config"]),
        On::Imported,
        Makes::Env(Arg::Nth(0)),
    )
    .from(&["decouple"])
    .proof(
        "from decouple import config\na = config(\"SECRET\")\n",
        &["env SECRET"],
        "from shop import config\na = config(\"SECRET\")\n",
    ),
    Rule::new(
        "environs.env",
        PY,
        At::Call(&["env", "str", "int", "bool", "float", "list", "dict", "json", "url", "db", "db_url", "cache_url"]),
        On::Value,
        Makes::Env(Arg::Nth(0)),
    )
    .from(&["environs", "environ"])
    .proof(
        "from environs import Env\nenv = Env()\na = env.bool(\"DEBUG\")\n",
        &["env DEBUG"],
        "from shop import Env\nenv = Env()\na = env.bool(\"DEBUG\")\n",
    ),
    Rule::new("django.settings", PY, At::Member(&["settings"]), On::Path(&["django.conf.settings"]), Makes::Config(Arg::Nth(0))).proof(
        "from django.conf import settings\ndef f():\n    return settings.TIME_ZONE\n",
        &["config TIME_ZONE"],
        "from shop import settings\ndef f():\n    return settings.TIME_ZONE\n",
    ),
    Rule::new(
        "flask.config",
        PY,
        At::Index(&["config"]),
        On::Path(&["flask.Flask().config", "flask.current_app.config"]),
        Makes::Config(Arg::Nth(0)),
    )
    .proof(
        "from flask import current_app\ndef f():\n    return current_app.config[\"SECRET_KEY\"]\n",
        &["config SECRET_KEY"],
        "def f(current_app):\n    return current_app.config[\"SECRET_KEY\"]\n",
    ),
    Rule::new(
        "flask.route",
        PY,
        At::Call(&["route"]),
        On::Value,
        Makes::Route { verb: Verb::Keyword("methods", "GET"), path: Arg::Named(&["rule"], 0), handler: Arg::Carrier },
    )
    .from(FLASK)
    .proof(
        "from flask import Blueprint\nbp = Blueprint(\"a\", __name__, url_prefix=\"/a\")\n@bp.route(\"/x/<id>\", methods=[\"GET\", \"POST\"])\ndef show(id):\n    pass\n",
        &["route GET /a/x/<id> -> show", "route POST /a/x/<id> -> show"],
        "from shop import Blueprint\nbp = Blueprint(\"a\")\n@bp.route(\"/x/<id>\", methods=[\"GET\"])\ndef show(id):\n    pass\n",
    ),
    Rule::new("flask.blueprint", PY, At::Call(&["Blueprint"]), On::Imported, Makes::Prefix(Arg::Named(&["url_prefix"], 9)))
        .from(FLASK)
        .proof(
            "from flask import Blueprint\nbp = Blueprint(\"a\", __name__, url_prefix=\"/a\")\n@bp.get(\"/y\")\ndef y():\n    pass\n",
            &["route GET /a/y -> y"],
            "from shop import Blueprint\nbp = Blueprint(\"a\", __name__, url_prefix=\"/a\")\n@bp.get(\"/y\")\ndef y():\n    pass\n",
        ),
    Rule::new("flask.verb", PY, At::Call(VERBS), On::Value, DECORATED).from(FLASK).proof(
        "from flask import Flask\napp = Flask(__name__)\n@app.get(\"/\")\ndef home():\n    pass\n",
        &["route GET / -> home"],
        "from flask import Flask\nimport cache\n@cache.get(\"/\")\ndef home():\n    pass\n",
    ),
    Rule::new(
        "flask.add_url_rule",
        PY,
        At::Call(&["add_url_rule"]),
        On::Value,
        Makes::Route {
            verb: Verb::Keyword("methods", "GET"),
            path: Arg::Named(&["rule"], 0),
            handler: Arg::Named(&["view_func"], 2),
        },
    )
    .from(FLASK)
    .proof(
        "from flask import Flask\ndef home():\n    pass\napp = Flask(__name__)\napp.add_url_rule(\"/\", view_func=home)\n",
        &["route GET / -> home"],
        "def home():\n    pass\ndef f(app):\n    app.add_url_rule(\"/\", view_func=home)\n",
    ),
    Rule::new("fastapi.verb", PY, At::Call(VERBS), On::Value, DECORATED).from(FASTAPI).proof(
        "from fastapi import APIRouter\nrouter = APIRouter(prefix=\"/items\")\n@router.get(\"/{id}\")\nasync def read(id: int):\n    pass\n",
        &["route GET /items/{id} -> read"],
        "from shop import APIRouter\nrouter = APIRouter()\n@router.get(\"/{id}\")\nasync def read(id: int):\n    pass\n",
    ),
    Rule::new(
        "fastapi.api_route",
        PY,
        At::Call(&["api_route", "route", "websocket"]),
        On::Value,
        Makes::Route { verb: Verb::Keyword("methods", "ANY"), path: Arg::Named(&["path"], 0), handler: Arg::Carrier },
    )
    .from(FASTAPI)
    .proof(
        "from fastapi import FastAPI\napp = FastAPI()\n@app.api_route(\"/a\", methods=[\"PUT\"])\ndef a():\n    pass\n",
        &["route PUT /a -> a"],
        "app = make()\n@app.api_route(\"/a\", methods=[\"PUT\"])\ndef a():\n    pass\n",
    ),
    Rule::new("fastapi.router", PY, At::Call(&["APIRouter"]), On::Imported, Makes::Prefix(Arg::Named(&["prefix"], 9)))
        .from(FASTAPI)
        .proof(
            "from fastapi import APIRouter\nr = APIRouter(prefix=\"/p\")\n@r.post(\"/q\")\ndef q():\n    pass\n",
            &["route POST /p/q -> q"],
            "from shop import APIRouter\nr = APIRouter(prefix=\"/p\")\n@r.post(\"/q\")\ndef q():\n    pass\n",
        ),
    Rule::new(
        "django.path",
        PY,
        At::Call(&["path", "re_path", "url"]),
        On::Imported,
        Makes::Route { verb: Verb::Any, path: Arg::Named(&["route", "regex"], 0), handler: Arg::Named(&["view"], 1) },
    )
    .from(DJANGO_URLS)
    .proof(
        "from django.urls import path\nfrom . import views\nurlpatterns = [path(\"users/<int:id>/\", views.show), path(\"x/\", views.X.as_view())]\n",
        &["route ANY /users/<int:id>/ -> show", "route ANY /x/ -> X", "route ANY /x/ -> views"],
        "from os import path\nfrom . import views\nurlpatterns = [path(\"users/\", views.show)]\n",
    ),
    Rule::new(
        "aiohttp.route",
        PY,
        At::Call(&["add_get", "add_post", "add_put", "add_delete", "add_patch"]),
        On::Value,
        Makes::Route { verb: Verb::Name, path: Arg::Nth(0), handler: Arg::Nth(1) },
    )
    .from(&["aiohttp"])
    .proof(
        "from aiohttp import web\nasync def show(r):\n    pass\napp = web.Application()\napp.router.add_get(\"/a\", show)\n",
        &["route GET /a -> show"],
        "async def show(r):\n    pass\ndef f(app):\n    app.router.add_get(\"/a\", show)\n",
    ),
];
