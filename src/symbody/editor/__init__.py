"""The topology editor: a document with undo, its file, diagram, checks and analyses, and its page."""
