"""irframe inside other tools: importing this package makes ir_measures compute with irframe."""

from irframe.interop.provider import IrframeProvider as IrframeProvider
from irframe.interop.provider import register

__all__ = ["IrframeProvider"]

register()
