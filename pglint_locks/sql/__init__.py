"""SQL text: split into statements, scanned, parsed; spans that the parse tree lacks."""
