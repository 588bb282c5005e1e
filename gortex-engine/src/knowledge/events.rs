//! Events that are announced in one place and handled in another.

use super::{Arg, At, Makes, On, Rule};

const JS: &[&str] = &["javascript", "typescript", "jsx", "tsx"];
const EMITTERS: &[&str] = &[
    "events",
    "socket.io",
    "socket.io-client",
    "eventemitter3",
    "mitt",
    "@nestjs/event-emitter",
    "eventemitter2",
    "EventEmitter",
];
const ON: Makes = Makes::Listen { event: Arg::Nth(0), handler: Arg::Nth(1) };

pub(super) const RULES: &[Rule] = &[
    Rule::new("node.emit", JS, At::Call(&["emit", "emitAsync"]), On::Value, Makes::Emit(Arg::Nth(0))).from(EMITTERS).proof(
        "const { EventEmitter } = require('events');\nconst bus = new EventEmitter();\nbus.emit('user.made', 1);\n",
        &["emit user.made"],
        "const bus = new Map();\nbus.emit('user.made', 1);\n",
    ),
    Rule::new("node.on", JS, At::Call(&["on", "once", "addListener", "prependListener"]), On::Value, ON).from(EMITTERS).proof(
        "import { EventEmitter } from 'events';\nconst bus = new EventEmitter();\nfunction greet() {}\nbus.on('user.made', greet);\n",
        &["event user.made -> greet"],
        "const bus = jquery('#a');\nfunction greet() {}\nbus.on('user.made', greet);\n",
    ),
    Rule::new(
        "nest.on_event",
        &["typescript", "tsx"],
        At::Call(&["OnEvent"]),
        On::Imported,
        Makes::Listen { event: Arg::Nth(0), handler: Arg::Carrier },
    )
    .from(&["@nestjs/event-emitter"])
    .proof(
        "import { OnEvent } from '@nestjs/event-emitter';\nclass A {\n  @OnEvent('order.made')\n  made() {}\n}\n",
        &["event order.made -> made"],
        "import { OnEvent } from './mine';\nclass A {\n  @OnEvent('order.made')\n  made() {}\n}\n",
    ),
    Rule::new(
        "kafka.listener",
        &["java", "kotlin"],
        At::Call(&["KafkaListener"]),
        On::Imported,
        Makes::Listen { event: Arg::Named(&["topics"], 0), handler: Arg::Carrier },
    )
    .from(&["org.springframework.kafka.annotation"])
    .proof(
        "import org.springframework.kafka.annotation.KafkaListener;\nclass A {\n  @KafkaListener(topics = \"orders\")\n  void on(String x) {}\n}\n",
        &["event orders -> on"],
        "class A {\n  @KafkaListener(topics = \"orders\")\n  void on(String x) {}\n}\n",
    ),
    Rule::new("kafka.send", &["java", "kotlin"], At::Call(&["send"]), On::Value, Makes::Emit(Arg::Nth(0)))
        .from(&["org.springframework.kafka.core"])
        .proof(
            "import org.springframework.kafka.core.KafkaTemplate;\nclass A {\n  void f(KafkaTemplate<String, String> k) { k.send(\"orders\", \"x\"); }\n}\n",
            &["emit orders"],
            "class A {\n  void f(Template k) { k.send(\"orders\", \"x\"); }\n}\n",
        ),
    Rule::new("nats.publish", &["go"], At::Call(&["Publish", "Request"]), On::Value, Makes::Emit(Arg::Nth(0)))
        .from(&["github.com/nats-io/nats.go"])
        .proof(
            "package a\nimport \"github.com/nats-io/nats.go\"\nfunc f(nc *nats.Conn) { nc.Publish(\"orders.made\", nil) }\n",
            &["emit orders.made"],
            "package a\nfunc f(nc *Conn) { nc.Publish(\"orders.made\", nil) }\n",
        ),
    Rule::new(
        "nats.subscribe",
        &["go"],
        At::Call(&["Subscribe"]),
        On::Value,
        Makes::Listen { event: Arg::Nth(0), handler: Arg::Nth(1) },
    )
    .from(&["github.com/nats-io/nats.go"])
    .proof(
        "package a\nimport \"github.com/nats-io/nats.go\"\nfunc on(m *nats.Msg) {}\nfunc f(nc *nats.Conn) { nc.Subscribe(\"orders.made\", on) }\n",
        &["event orders.made -> on"],
        "package a\nfunc on() {}\nfunc f(nc *Conn) { nc.Subscribe(\"orders.made\", on) }\n",
    ),
];
