/// The version of the libraries and of the tool, as semver.org counts.
public let movtoolVersion = "0.2.0"
