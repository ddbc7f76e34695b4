"""Stubs of the API of Mneme, generated from its protos."""
