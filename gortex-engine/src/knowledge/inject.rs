//! Dependencies that a framework hands over.

use super::{Arg, At, Makes, On, Rule};

const CARRIER: Makes = Makes::Inject(Arg::Carrier);

pub(super) const RULES: &[Rule] = &[
    Rule::new(
        "fastapi.depends",
        &["python"],
        At::Call(&["Depends", "Security"]),
        On::Imported,
        Makes::Inject(Arg::Named(&["dependency"], 0)),
    )
    .from(&["fastapi"])
    .proof(
        "from fastapi import Depends\ndef db():\n    pass\ndef show(x=Depends(db)):\n    pass\n",
        &["inject db"],
        "from shop import Depends\ndef db():\n    pass\ndef show(x=Depends(db)):\n    pass\n",
    ),
    Rule::new(
        "spring.component",
        &["java", "kotlin"],
        At::Call(&["Component", "Service", "Repository", "Controller", "RestController", "Configuration", "ControllerAdvice"]),
        On::Imported,
        CARRIER,
    )
    .from(&[
        "org.springframework.stereotype",
        "org.springframework.web.bind.annotation",
        "org.springframework.context.annotation",
    ])
    .proof(
        "import org.springframework.stereotype.Service;\n@Service\nclass A { A(B b) {} }\n",
        &["inject A"],
        "import shop.Service;\n@Service\nclass A { A(B b) {} }\n",
    ),
    Rule::new("spring.autowired", &["java", "kotlin"], At::Call(&["Autowired", "Inject", "Resource"]), On::Imported, CARRIER)
        .from(&[
            "org.springframework.beans.factory.annotation",
            "javax.inject",
            "jakarta.inject",
            "jakarta.annotation",
            "javax.annotation",
        ])
        .proof(
            "import org.springframework.beans.factory.annotation.Autowired;\nclass A { @Autowired private B b; }\n",
            &["inject b"],
            "import shop.Autowired;\nclass A { @Autowired private B b; }\n",
        ),
    Rule::new(
        "nest.injectable",
        &["typescript", "tsx"],
        At::Call(&["Injectable", "Controller", "Resolver", "Component", "Directive", "Pipe"]),
        On::Imported,
        CARRIER,
    )
    .from(&["@nestjs/common", "@nestjs/graphql", "@angular/core"])
    .proof(
        "import { Injectable } from '@nestjs/common';\n@Injectable()\nexport class A { constructor(private b: B) {} }\n",
        &["inject A"],
        "import { Injectable } from './mine';\n@Injectable()\nexport class A { constructor(private b: B) {} }\n",
    ),
    // What the linker finds by itself, from interface descriptions; `link/clues_tests` proves them.
    Rule::new("grpc.service", &["go", "python", "java", "kotlin", "csharp"], At::Link, On::Value, CARRIER),
    Rule::new("grpc.client", &["go", "python", "java", "kotlin", "csharp"], At::Link, On::Value, CARRIER),
];
