"""Client of Slipway: the management API and reference data, with the standard library alone."""

from .client import Client, SlipwayError
from .operations import ManagementApi, ReferenceApi

__all__ = ["Client", "ManagementApi", "ReferenceApi", "SlipwayError"]
