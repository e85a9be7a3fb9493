"""The server runs on the model's own Python, so its source must be readable by Python 3.6."""
import ast
import os

import pytest
from job import RUNTIME

SERVED = [os.path.join(RUNTIME, 'slipway_runner', 'model_folder', 'entrypoint.py')] + [
    os.path.join(RUNTIME, 'slipway_server', name)
    for name in sorted(os.listdir(os.path.join(RUNTIME, 'slipway_server')))
    if name.endswith('.py')
]


@pytest.mark.parametrize('path', SERVED, ids=os.path.basename)
def test_served_code_is_python_3_6(path):
    with open(path, encoding='utf-8') as stream:
        ast.parse(stream.read(), feature_version=(3, 6))
