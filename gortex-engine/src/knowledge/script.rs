//! JavaScript and TypeScript.

use super::{Arg, At, Makes, On, Rule, Verb};

const JS: &[&str] = &["javascript", "typescript", "jsx", "tsx"];
/// Decorators are read in TypeScript, where they are at home.
const TS: &[&str] = &["typescript", "tsx"];
const EXPRESS: &[&str] = &["express", "@types/express", "express-promise-router", "@feathersjs/express"];
const KOA: &[&str] = &["koa-router", "@koa/router"];
const FASTIFY: &[&str] = &["fastify"];
const HONO: &[&str] = &["hono", "@hono/zod-openapi"];
const NEST: &[&str] = &["@nestjs/common"];
const VERBS: &[&str] = &["get", "post", "put", "delete", "patch", "head", "options", "all", "del"];
const CALLED: Makes = Makes::Route { verb: Verb::Name, path: Arg::Nth(0), handler: Arg::Last };

pub(super) const RULES: &[Rule] = &[
    Rule::new("node.env", JS, At::Member(&["env"]), On::Path(&["process.env", "Bun.env"]), Makes::Env(Arg::Nth(0))).proof(
        "const port = process.env.PORT;\n",
        &["env PORT"],
        "const port = config.env.PORT;\n",
    ),
    Rule::new("node.env", JS, At::Index(&["env"]), On::Path(&["process.env", "Bun.env"]), Makes::Env(Arg::Nth(0))).proof(
        "const port = process.env['PORT'];\n",
        &["env PORT"],
        "const port = config.env['PORT'];\n",
    ),
    Rule::new("deno.env", JS, At::Call(&["get"]), On::Path(&["Deno.env.get"]), Makes::Env(Arg::Nth(0))).proof(
        "const port = Deno.env.get('PORT');\n",
        &["env PORT"],
        "const port = denv.get('PORT');\n",
    ),
    Rule::new("vite.env", &["typescript", "javascript", "tsx", "jsx"], At::Member(&["env"]), On::Path(&["import.meta.env"]), Makes::Env(Arg::Nth(0)))
        .proof("const a = import.meta.env.VITE_KEY;\n", &["env VITE_KEY"], "const a = meta.env.VITE_KEY;\n"),
    Rule::new("config.get", JS, At::Call(&["get", "has"]), On::Path(&["config.get", "config.default.get", "config.has"]), Makes::Config(Arg::Nth(0)))
        .from(&["config"])
        .proof(
            "const config = require('config');\nconst a = config.get('db.host');\n",
            &["config db.host"],
            "const config = new Map();\nconst a = config.get('db.host');\n",
        ),
    Rule::new("nest.config", JS, At::Call(&["get", "getOrThrow"]), On::Value, Makes::Config(Arg::Nth(0)))
        .from(&["@nestjs/config"])
        .proof(
            "import { ConfigService } from '@nestjs/config';\nfunction f(config: ConfigService) { return config.get('db.host'); }\n",
            &["config db.host"],
            "function f(config: Map<string, string>) { return config.get('db.host'); }\n",
        ),
    Rule::new("express.route", JS, At::Call(VERBS), On::Value, CALLED).from(EXPRESS).proof(
        "const express = require('express');\nconst users = require('./users');\nconst app = express();\napp.get('/users/:id', users.auth, users.show);\napp.post('/users', (req, res) => {});\n",
        &["route GET /users/:id -> show", "route POST /users -> here"],
        "const express = require('express');\nconst axios = require('axios');\naxios.get('/users', { a: 1 });\nconst app = express();\napp.get('view engine');\n",
    ),
    Rule::new("express.use", JS, At::Call(&["use", "route"]), On::Value, Makes::Prefix(Arg::Nth(0))).from(EXPRESS).proof(
        "import express from 'express';\nconst app = express();\napp.route('/a').get(list).post(make);\nfunction list() {}\nfunction make() {}\n",
        &["route GET /a -> list", "route POST /a -> make"],
        "const app = make();\napp.route('/a').get(list);\nfunction list() {}\n",
    ),
    Rule::new("koa.route", JS, At::Call(VERBS), On::Value, CALLED).from(KOA).proof(
        "const Router = require('@koa/router');\nconst router = new Router();\nfunction show() {}\nrouter.get('/a', show);\n",
        &["route GET /a -> show"],
        "const Router = require('./mine');\nconst router = new Router();\nfunction show() {}\nrouter.get('/a', show);\n",
    ),
    Rule::new("fastify.route", JS, At::Call(VERBS), On::Value, CALLED).from(FASTIFY).proof(
        "import Fastify from 'fastify';\nconst app = Fastify();\nasync function show() {}\napp.get('/a', show);\n",
        &["route GET /a -> show"],
        "import Fastify from './fastly';\nconst app = Fastify();\nasync function show() {}\napp.get('/a', show);\n",
    ),
    Rule::new(
        "fastify.options",
        JS,
        At::Call(&["route"]),
        On::Value,
        Makes::Route { verb: Verb::Keyword("method", "GET"), path: Arg::Named(&["url", "path"], 9), handler: Arg::Named(&["handler"], 9) },
    )
    .from(FASTIFY)
    .proof(
        "import Fastify from 'fastify';\nconst app = Fastify();\nasync function show() {}\napp.route({ method: 'PUT', url: '/a', handler: show });\n",
        &["route PUT /a -> show"],
        "const app = make();\nasync function show() {}\napp.route({ method: 'PUT', url: '/a', handler: show });\n",
    ),
    Rule::new("hono.route", JS, At::Call(VERBS), On::Value, CALLED).from(HONO).proof(
        "import { Hono } from 'hono';\nconst app = new Hono();\nconst show = (c) => c.text('');\napp.get('/a', show);\n",
        &["route GET /a -> show"],
        "import { Hono } from './mine';\nconst app = new Map();\nconst show = (c) => c.text('');\napp.get('/a', show);\n",
    ),
    Rule::new("hono.base", JS, At::Call(&["basePath"]), On::Value, Makes::Prefix(Arg::Nth(0))).from(HONO).proof(
        "import { Hono } from 'hono';\nconst api = new Hono().basePath('/v1');\nconst show = (c) => c.text('');\napi.get('/a', show);\n",
        &["route GET /v1/a -> show"],
        "const api = make().basePath('/v1');\nconst show = (c) => c.text('');\napi.get('/a', show);\n",
    ),
    Rule::new(
        "nest.route",
        TS,
        At::Call(&["Get", "Post", "Put", "Delete", "Patch", "Head", "Options", "All"]),
        On::Imported,
        Makes::Route { verb: Verb::Name, path: Arg::Nth(0), handler: Arg::Carrier },
    )
    .from(NEST)
    .proof(
        "import { Controller, Get } from '@nestjs/common';\n@Controller('cats')\nclass Cats {\n  @Get(':id')\n  one() {}\n  @Get()\n  all() {}\n}\n",
        &["inject Cats", "route GET /cats -> all", "route GET /cats/:id -> one"],
        "import { Controller, Get } from './mine';\n@Controller('cats')\nclass Cats {\n  @Get(':id')\n  one() {}\n}\n",
    ),
    Rule::new("nest.controller", TS, At::Call(&["Controller"]), On::Imported, Makes::Prefix(Arg::Named(&["path"], 0))).from(NEST).proof(
        "import { Controller, Post } from '@nestjs/common';\n@Controller({ path: 'dogs' })\nclass Dogs {\n  @Post('new')\n  make() {}\n}\n",
        &["inject Dogs", "route POST /dogs/new -> make"],
        "import { Controller, Post } from './mine';\n@Controller({ path: 'dogs' })\nclass Dogs {\n  @Post('new')\n  make() {}\n}\n",
    ),
];
