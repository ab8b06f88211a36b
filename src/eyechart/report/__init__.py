"""Results to text: the report's schema, tables and pages."""
