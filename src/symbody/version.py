"""The version of symbody, in one place: the build, `symbody.__version__` and result files read it here."""

VERSION = "0.2.0.dev0"
