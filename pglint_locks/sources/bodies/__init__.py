"""Statements that run one after another under control flow: what a body is made of.

PL/pgSQL bodies and the functions of host languages are read into the same shapes.
"""
