import Testing

@testable import MovieStreaming

@Suite("text in HTML and URLs")
struct MarkupTests {
  @Test func escapesMarkupInText() {
    #expect(
      Markup.escaped("</script><b a=\"x\" c='y'>&\u{0}\u{7F}\u{85}\n")
        == "&lt;/script&gt;&lt;b a=&quot;x&quot; c=&#39;y&#39;&gt;&amp;\u{FFFD}\u{FFFD}\u{FFFD}\n")
  }

  @Test func escapesPathsAsURLs() {
    #expect(uriReference("../a b/ü#?%:.mov") == "../a%20b/%C3%BC%23%3F%25%3A.mov")
    #expect(uriReference("\n\u{1}") == "%0A%01")
  }

  // RFC 4648, section 10.
  @Test(arguments: [
    ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
    ("foobar", "Zm9vYmFy"),
  ])
  func encodesBase64(text: String, encoded: String) {
    #expect(Markup.base64(text.utf8) == encoded)
  }

  // FIPS 180-4 examples. In the last one, only the padding needs a second block.
  @Test(arguments: [
    ("", "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="),
    ("abc", "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0="),
    ("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", "JI1qYdIGOLjlwCaTDD5gOaM85Flk/yFn9uzt1BnbBsE="),
  ])
  func computesSHA256(message: String, hash: String) {
    #expect(Markup.base64(SHA256.hash(Array(message.utf8))) == hash)
  }

  @Test func expandsNoPlaceholdersInValues() {
    #expect(Markup.filled("a {{x}} b {{y}}{{") { $0 == "x" ? "{{y}}" : "Y" } == "a {{y}} b Y{{")
    #expect(Markup.filled("{{x}}{{none}}{{x}}") { $0 == "x" ? "X" : nil } == "X{{none}}X")
  }
}
