"""What every model does that runs on a device with torch: a GPU, or the processor in its place.

`choose.py` finds the device, `attention.py` has attention inside sentences that lie end to end, `rows.py`
runs a model and leaves its vectors where they are, `module.py` is the encoder of the bundled models that way,
and `bundled.py` reads their folders.
"""
