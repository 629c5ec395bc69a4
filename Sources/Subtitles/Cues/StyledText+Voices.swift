extension StyledText {
  /// The text with the name of who speaks before their words, as `Ann: `, and without voices.
  ///
  /// The name has the style of the words that it stands before, and stands there once until another speaks.
  public var namingVoices: StyledText {
    guard runs.contains(where: { $0.style.voice != nil }) else { return self }
    var scalars = String.UnicodeScalarView()
    var kept: [Run] = []
    var rest = text.unicodeScalars[...]
    var position = 0
    var added = 0
    var speaker: String?
    for run in runs {
      scalars.append(contentsOf: rest.prefix(run.range.lowerBound - position))
      rest = rest.dropFirst(run.range.lowerBound - position)
      let start = run.range.lowerBound + added
      if let voice = run.style.voice, voice != speaker {
        let name = (voice + ": ").unicodeScalars
        scalars.append(contentsOf: name)
        added += name.count
      }
      speaker = run.style.voice ?? speaker
      scalars.append(contentsOf: rest.prefix(run.range.count))
      rest = rest.dropFirst(run.range.count)
      position = run.range.upperBound
      var style = run.style
      style.voice = nil
      if style != .plain { kept.append(Run(start..<position + added, style)) }
    }
    scalars.append(contentsOf: rest)
    return StyledText(normalizing: String(scalars), runs: kept)
  }
}
