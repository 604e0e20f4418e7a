"""The plugin of pytest. Once installed it stands beside the package, and so imports nothing."""
