extension Track {
  /// What the track demands of a decoder of H.263 on average, or `nil` if it lasts no time.
  package func h263Demand(_ description: VideoDescription) -> H263Pictures.Demand? {
    let ticks = samples.timeToSample.reduce(0.0) { $0 + Double($1.sampleCount) * Double($1.duration) }
    guard ticks > 0, mediaHeader.timeScale > 0 else { return nil }
    let seconds = ticks / Double(mediaHeader.timeScale)
    return H263Pictures.Demand(
      width: Int(description.width), height: Int(description.height),
      picturesPerSecond: Double(samples.sampleCount) / seconds, bitsPerSecond: Double(mediaByteCount) * 8 / seconds)
  }
}
