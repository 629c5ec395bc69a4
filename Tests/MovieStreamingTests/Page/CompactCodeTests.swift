import Testing

@testable import MovieStreaming

@Suite("the page's code without what only people read")
struct CompactCodeTests {
  @Test(arguments: [
    (
      "/**\n * a\n */\nlet a = 1; // b\n\n  // c\n  let c = \"/* no */ // no\";\n/* d */\n",
      "let a=1;let c=\"/* no */ // no\";"
    ),
    ("const f = (a, b) => a + b;", "const f=(a,b)=>a+b;"),
    // Operators that would merge into others, and words.
    ("a + +b; a - -b; a++ + b; typeof a; new A();", "a+ +b;a- -b;a++ +b;typeof a;new A();"),
    // A statement ends with a semicolon or a brace, never at a line end.
    (
      "class A {\n  a() { return 1; }\n  b() {\n    return 2;\n  }\n}\nlet b;",
      "class A{a(){return 1}b(){return 2}}let b;"
    ),
    // String literals that contain quotation marks.
    (#"a = "b  \" c" + 'd  " e';"#, #"a="b  \" c"+'d  " e';"#),
    // Template literals with expressions and nested templates.
    ("a = `b  ${c + `d  ${ { e: 1 }.e }  f`}  g`;", "a=`b  ${c+`d  ${{e:1}.e}  f`}  g`;"),
    (#"a = `\`  \${ b }`;"#, #"a=`\`  \${ b }`;"#),
    // Regular expressions with slashes in character classes, and divisions.
    (#"a.replace(/ [/"] \/ /g, " "); b = c / d / (e) / f[0] / 2;"#, #"a.replace(/ [/"] \/ /g," ");b=c/d/(e)/f[0]/2;"#),
    ("a = \"ä  ö\"; ä = 1", "a=\"ä  ö\";ä=1"),
    // Redundant signs: the last comma of an object, and parentheses around one parameter.
    ("a = { b: c, d: e, }; f([b, , ]);", "a={b:c,d:e};f([b,,]);"),
    ("a((b) => b, async (c) => c, (d, e) => d, () => (f));", "a(b=>b,async(c)=>c,(d,e)=>d,()=>(f));"),
  ])
  func preservesTokensOfAScript(script: String, compact: String) {
    #expect(String(decoding: CompactCode.script(Array(script.utf8)), as: UTF8.self) == compact)
  }

  @Test(arguments: [
    // All declarations of a script.
    ("const value = 1; f(value, [value, ...value], `${value}`);", "let a=1;f(a,[a,...a],`${a}`);"),
    (
      "function value(other) { return other; }\nclass Thing {}\nlet more = (item) => item; new Thing(value);",
      "function c(b){return b}class a{}let e=d=>d;new a(c);"
    ),
    ("names.map(item => item + item)", "names.map(a=>a+a)"),
    (
      "const [one, two] = f(three), [, four] = one; const [, five] = two; g([one, five]);",
      "let[a,c]=f(three),[,four]=a;let[,b]=c;g([a,b]);"
    ),
    (
      "class Thing { method(value, other) { return value + other; } }\n(value, third) => other(third);",
      "class d{method(b,a){return b+a}}(b,c)=>a(c);"
    ),
    // Conditions and arguments declare nothing.
    ("if (value) { call(value, other); } while (other) {}", "if(value){call(value,other)}while(other){}"),
    // Property names, even if a variable has the same name.
    ("const value = a.value;", "let value=a.value;"),
    ("const value = a?.value;", "let value=a?.value;"),
    ("const value = 1; f({ value });", "let value=1;f({value});"),
    ("const { value } = f; const other = { value: 1 };", "let{value}=f;let a={value:1};"),
    // Undeclared names, string literals and short names.
    (
      "document.write(value); const xy = \"value\"; let thing = /thing/;",
      "document.write(value);let xy=\"value\";let a=/thing/;"
    ),
    // Names that are already in use.
    ("const value = a + b;", "let c=a+b;"),
  ])
  func shortensNamesOfAScript(script: String, short: String) {
    #expect(String(decoding: CompactCode.scriptWithShortNames(Array(script.utf8)), as: UTF8.self) == short)
  }

  @Test(arguments: [
    ("/* a */\na , b > c { color : #fff; margin: 0 auto; }\n", "a,b > c{color :#fff;margin:0 auto}"),
    (
      "@media (max-width: 40rem) and (hover) {\n  a :focus { b: calc(1px + 2px); }\n}\n",
      "@media (max-width:40rem) and (hover){a :focus{b:calc(1px + 2px)}}"
    ),
    ("a::before { content: \"\"; }\n\nb { c: d }", "a::before{content:\"\"}b{c:d}"),
  ])
  func preservesTokensOfAStyleSheet(style: String, compact: String) {
    #expect(String(decoding: CompactCode.style(Array(style.utf8)), as: UTF8.self) == compact)
  }

  /// Truncated code may end inside a string literal, a template, a comment or an expression.
  @Test func terminatesOnTruncatedCode() {
    let script = Array("a = `b ${c + `d ${ {} }`}`; /* e */ f(/g[/]\\/h/, \"i\\\"\"); // j\n".utf8)
    for count in 0...script.count {
      #expect(CompactCode.script(Array(script.prefix(count))).count <= count)
      #expect(CompactCode.scriptWithShortNames(Array(script.prefix(count))).count <= count)
      #expect(CompactCode.style(Array(script.prefix(count))).count <= count)
    }
  }

  /// Compacting compact code changes nothing.
  @Test func compactsCodeIdempotently() {
    for code in [
      PackageResources.page_js, PackageResources.memory_js, PackageResources.peek_js, PackageResources.stream_js,
      PackageResources.route_js,
    ] {
      let script = CompactCode.script(code)
      #expect(CompactCode.script(script) == script && script.count < code.count * 9 / 10)
    }
    let style = CompactCode.style(PackageResources.page_css)
    #expect(CompactCode.style(style) == style)
  }
}
