"""The HTTP server inside packaged images. Python 3.6 syntax, because old models bring old Pythons."""

__version__ = '0.1.0'
