//! Environment, configuration, routes, events and injections over several files.

use crate::graph::{EdgeKind, Graph};
use crate::index::build::graph_of;

/// Synthesized edges as `from -kind-> to (rule)`.
fn synthesized(graph: &Graph) -> Vec<String> {
    let rows = graph.edges().iter().filter_map(|edge| {
        let rule = edge.provenance()?;
        Some(format!("{} -{}-> {} ({rule})", graph.id(edge.from), edge.kind().as_str(), graph.id(edge.to)))
    });
    rows.collect()
}

/// Mentions of what has no file, under one prefix, as `id @ owner:line`.
fn outside(graph: &Graph, prefix: &str) -> Vec<String> {
    let externals = graph.externals();
    let rows = externals.starting(prefix).flat_map(|at| {
        externals.mentions(at).map(move |row| format!("{} @ {}:{}", externals.id(at), graph.id(row.owner), row.line))
    });
    rows.collect()
}

#[test]
fn a_variable_of_the_environment_is_found_from_every_language() {
    let graph = graph_of(&[
        ("a.py", "import os\ndef f():\n    return os.environ['DB_URL']\n"),
        ("b.go", "package b\nimport \"os\"\nfunc F() string { return os.Getenv(\"DB_URL\") }\n"),
        ("c.ts", "export function h() {\n  return process.env.DB_URL;\n}\n"),
        ("d.sh", "run() {\n  echo \"$DB_URL\"\n}\n"),
    ]);
    assert_eq!(
        outside(&graph, "env::"),
        ["env::DB_URL @ a.py::f:3", "env::DB_URL @ b.go::F:3", "env::DB_URL @ c.ts::h:2", "env::DB_URL @ d.sh::run:2"]
    );
}

#[test]
fn a_route_leads_to_its_handler_in_another_file() {
    let graph = graph_of(&[
        (
            "app.js",
            "const express = require('express');\nconst users = require('./users');\nconst app = express();\napp.get('/users/:id', users.show);\napp.post('/users', (req, res) => { users.make(req); });\n",
        ),
        ("users.js", "exports.show = function show() {};\nexports.make = function make() {};\n"),
    ]);
    assert_eq!(synthesized(&graph), ["app.js::GET /users/:id -routes_to-> users.js::show (express.route)"]);
    let made = graph.by_id("users.js::make").expect("a node");
    let callers: Vec<String> =
        graph.incoming(made).filter(|edge| edge.kind() == EdgeKind::Calls).map(|edge| graph.id(edge.from)).collect();
    assert_eq!(callers, ["app.js::POST /users"], "what an inline handler does is done by its route");
    assert_eq!(
        outside(&graph, "route::"),
        ["route::GET /users/:id @ app.js::GET /users/:id:4", "route::POST /users @ app.js::POST /users:5"]
    );
}

#[test]
fn views_of_django_are_found_through_their_module() {
    let graph = graph_of(&[
        ("shop/__init__.py", ""),
        (
            "shop/urls.py",
            "from django.urls import path\nfrom . import views\nurlpatterns = [\n    path('a/<int:id>/', views.show),\n    path('b/', views.Item.as_view()),\n]\n",
        ),
        ("shop/views.py", "def show(request, id):\n    pass\nclass Item:\n    pass\n"),
    ]);
    assert_eq!(
        synthesized(&graph),
        [
            "shop/urls.py::urlpatterns.ANY /a/<int:id>/ -routes_to-> shop/views.py::show (django.path)",
            "shop/urls.py::urlpatterns.ANY /b/ -routes_to-> shop/views.py::Item (django.path)",
        ]
    );
}

#[test]
fn an_announced_event_reaches_who_awaits_it() {
    let graph = graph_of(&[
        ("bus.ts", "import { EventEmitter } from 'events';\nexport const bus = new EventEmitter();\n"),
        (
            "make.ts",
            "import { EventEmitter } from 'events';\nexport function make(bus: EventEmitter) {\n  bus.emit('order.made', 1);\n}\n",
        ),
        (
            "mail.ts",
            "import { EventEmitter } from 'events';\nfunction send() {}\nexport function wire(bus: EventEmitter) {\n  bus.on('order.made', send);\n}\n",
        ),
        ("not.ts", "export function other(bus: Map<string, number>) {\n  bus.emit('order.made');\n}\n"),
    ]);
    assert_eq!(
        synthesized(&graph),
        [
            "mail.ts::wire.on order.made -handles-> mail.ts::send (node.on)",
            "make.ts::make -emits-> mail.ts::wire.on order.made (node.emit)",
        ]
    );
    assert_eq!(
        outside(&graph, "event::"),
        ["event::order.made @ mail.ts::wire.on order.made:4", "event::order.made @ make.ts::make:3"]
    );
}

#[test]
fn a_dependency_is_handed_to_who_asks_for_it() {
    let graph = graph_of(&[
        ("db.py", "def session():\n    pass\n"),
        (
            "api.py",
            "from fastapi import APIRouter, Depends\nfrom db import session\nrouter = APIRouter(prefix='/v1')\n@router.get('/a')\ndef show(db=Depends(session)):\n    pass\n",
        ),
    ]);
    assert_eq!(
        synthesized(&graph),
        [
            "api.py::show -injects-> db.py::session (fastapi.depends)",
            "api.py::GET /v1/a -routes_to-> api.py::show (fastapi.verb)",
        ]
    );
}

#[test]
fn no_name_of_a_program_is_an_event_or_a_route() {
    let graph = graph_of(&[(
        "a.js",
        "const { EventEmitter } = require('events');\nconst bus = new EventEmitter();\nbus.on('close', () => {});\nfunction f() { return close; }\n",
    )]);
    let event = graph.by_id("a.js::on close").expect("an event");
    assert_eq!(graph.incoming(event).count(), 0);
}

#[test]
fn a_component_is_handed_the_one_implementation() {
    let graph = graph_of(&[
        ("a/Repo.java", "package a;\npublic interface Repo { void save(); }\n"),
        ("a/SqlRepo.java", "package a;\npublic class SqlRepo implements Repo { public void save() {} }\n"),
        ("a/Mail.java", "package a;\npublic interface Mail {}\n"),
        ("a/Smtp.java", "package a;\npublic class Smtp implements Mail {}\n"),
        ("a/Fake.java", "package a;\npublic class Fake implements Mail {}\n"),
        (
            "a/Shop.java",
            "package a;\nimport org.springframework.stereotype.Service;\n@Service\npublic class Shop {\n  private final Repo repo;\n  public Shop(Repo repo, Mail mail) { this.repo = repo; }\n}\n",
        ),
        ("a/Plain.java", "package a;\npublic class Plain {\n  public Plain(Repo repo) {}\n}\n"),
    ]);
    let rows: Vec<String> = graph
        .edges()
        .iter()
        .filter(|edge| edge.kind() == EdgeKind::Injects)
        .map(|edge| format!("{} -> {} {}", graph.id(edge.from), graph.id(edge.to), edge.confidence))
        .collect();
    assert_eq!(
        rows,
        [
            "a/Shop.java::Shop -> a/Fake.java::Fake 50",
            "a/Shop.java::Shop -> a/Smtp.java::Smtp 50",
            "a/Shop.java::Shop -> a/SqlRepo.java::SqlRepo 80",
        ]
    );
}

#[test]
fn a_remote_call_leads_to_its_description_and_from_there_to_who_implements_it() {
    let proto =
        "syntax = \"proto3\";\npackage shop;\nservice Cart {\n  rpc GetCart (Empty) returns (Empty);\n}\nmessage Empty {}\n";
    let graph = graph_of(&[
        ("cart.proto", proto),
        (
            "server.py",
            "import cart_pb2_grpc\nclass Servicer(cart_pb2_grpc.CartServicer):\n    def GetCart(self, request, context):\n        pass\n    def other(self):\n        pass\n",
        ),
        (
            "client.go",
            "package a\nimport pb \"example.com/pb\"\nfunc show(conn int) { pb.NewCartClient(conn).GetCart(1) }\nfunc not(c Shop) { c.GetCart(1) }\n",
        ),
        (
            "client.py",
            "import cart_pb2_grpc\ndef load(channel):\n    stub = cart_pb2_grpc.CartStub(channel)\n    return stub.GetCart(1)\n",
        ),
        ("Server.java", "package a;\nclass Server extends CartGrpc.CartImplBase {\n  public void getCart(int a) {}\n}\n"),
    ]);
    assert_eq!(
        synthesized(&graph),
        [
            "Server.java::Server.getCart -overrides-> cart.proto::Cart.GetCart (grpc.service)",
            "client.go::show -calls-> cart.proto::Cart.GetCart (grpc.client)",
            "client.py::load -calls-> cart.proto::Cart.GetCart (grpc.client)",
            "server.py::Servicer.GetCart -overrides-> cart.proto::Cart.GetCart (grpc.service)",
        ]
    );
}

#[test]
fn a_call_named_like_a_decorator_registers_nothing() {
    let graph = graph_of(&[(
        "a.py",
        "from flask import Flask, request, session\napp = Flask(__name__)\n@app.route('/x')\ndef show():\n    client = app.test_client()\n    client.get('/y')\n    return request.form.get('a') or session.get('/z')\n",
    )]);
    assert_eq!(synthesized(&graph), ["a.py::GET /x -routes_to-> a.py::show (flask.route)"]);
    assert_eq!(outside(&graph, "route::"), ["route::GET /x @ a.py::GET /x:3"]);
}

#[test]
fn a_handler_is_what_is_named_in_front_of_its_call_or_wrapped_by_it() {
    let graph = graph_of(&[
        ("shop/__init__.py", ""),
        (
            "shop/urls.py",
            "from django.urls import path\nfrom . import views\nfrom .models import Book\nurlpatterns = [\n    path('a/', views.List.as_view(queryset=Book)),\n    path('b/', views.guard(views.show, Book)),\n]\n",
        ),
        ("shop/views.py", "def show(request):\n    pass\ndef guard(view, model):\n    return view\nclass List:\n    pass\n"),
        ("shop/models.py", "class Book:\n    pass\n"),
    ]);
    assert_eq!(
        synthesized(&graph),
        [
            "shop/urls.py::urlpatterns.ANY /a/ -routes_to-> shop/views.py::List (django.path)",
            "shop/urls.py::urlpatterns.ANY /b/ -routes_to-> shop/views.py::show (django.path)",
        ]
    );
}

#[test]
fn a_variable_that_a_script_sets_is_none_of_the_environment() {
    let graph = graph_of(&[(
        "a.sh",
        "f() {\n  VALUE=$(date)\n  read -r LINE\n  for ITEM in a b; do echo \"$VALUE $LINE $ITEM $HOME\"; done\n}\n",
    )]);
    assert_eq!(outside(&graph, "env::"), ["env::HOME @ a.sh::f:4"]);
}

#[test]
fn routes_of_a_router_with_functions_written_in_place() {
    let graph = graph_of(&[
        (
            "auth.controller.ts",
            "import { NextFunction, Request, Response, Router } from 'express';\nimport { createUser } from './auth.service';\nconst router = Router();\n/**\n * Makes one.\n */\nrouter.post('/users', async (req: Request, res: Response, next: NextFunction) => {\n  try {\n    const user = await createUser({ ...req.body.user, demo: false });\n    res.json({ user });\n  } catch (error) {\n    next(error);\n  }\n});\nexport default router;\n",
        ),
        ("auth.service.ts", "export const createUser = async (input: any) => {};\n"),
    ]);
    let made = graph.by_id("auth.service.ts::createUser").expect("a node");
    let callers: Vec<String> =
        graph.incoming(made).filter(|edge| edge.kind() == EdgeKind::Calls).map(|edge| graph.id(edge.from)).collect();
    assert_eq!(callers, ["auth.controller.ts::POST /users"]);
    assert_eq!(outside(&graph, "route::"), ["route::POST /users @ auth.controller.ts::POST /users:7"]);
}
