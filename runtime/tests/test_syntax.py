"""The server and the installer run on the model's own Python, so their source must be readable by Python 3.6."""
import ast
import os

import pytest
from job import RUNTIME

INSTALLER = ('install.py', 'uv.py', 'failures.py', '__init__.py', 'model_folder/entrypoint.py')
SERVED = [os.path.join(RUNTIME, 'slipway_runner', name) for name in INSTALLER] + [
    os.path.join(RUNTIME, 'slipway_server', name)
    for name in sorted(os.listdir(os.path.join(RUNTIME, 'slipway_server')))
    if name.endswith('.py')
]


@pytest.mark.parametrize('path', SERVED, ids=os.path.basename)
def test_served_code_is_python_3_6(path):
    with open(path, encoding='utf-8') as stream:
        ast.parse(stream.read(), feature_version=(3, 6))
