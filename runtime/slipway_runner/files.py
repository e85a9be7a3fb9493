"""Writes the artifact of a program that writes its model as files, such as a tensor server takes: no entry point."""
import os
import shutil

from .artifact import write_yaml
from .failures import RunnerFailure, project_invalid

DESCRIPTION = 'platform.model.yaml'
# Ours, in the folder that the program writes to.
KEPT = ('.slipway', 'artifact')


def write_artifact(target, job, work_dir, static):
    """Fills the folder `target` with the program's output and the static files. @raises when there is neither"""
    shutil.rmtree(target, ignore_errors=True)
    os.makedirs(target)
    if static:
        _copy_static(static, work_dir, target, job['sourceDir'])
    for name in os.listdir(job['outputDir']):
        if name not in KEPT:
            _remove(os.path.join(target, name))
            shutil.move(os.path.join(job['outputDir'], name), os.path.join(target, name))
    if not os.listdir(target):
        raise RunnerFailure('ModelCountWrong', 'the program wrote no file to the folder SLIPWAY_OUTPUT_DIR')
    if not os.path.exists(os.path.join(target, DESCRIPTION)):
        model = job['model']
        write_yaml(os.path.join(target, DESCRIPTION), {'name': model['name'], 'version': model['version']})


def _copy_static(static, work_dir, target, source_dir):
    folder = os.path.realpath(os.path.join(work_dir, static))
    if not folder.startswith(os.path.realpath(source_dir) + os.sep) or not os.path.isdir(folder):
        raise project_invalid('STATIC_ARTIFACTS_DIR "{}" is not a folder of the repository'.format(static))
    for name in os.listdir(folder):
        path = os.path.join(folder, name)
        if os.path.isdir(path) and not os.path.islink(path):
            shutil.copytree(path, os.path.join(target, name), symlinks=True)
        else:
            shutil.copy2(path, os.path.join(target, name), follow_symlinks=False)


def _remove(path):
    """A file of the program replaces the static one of its name."""
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path)
    elif os.path.lexists(path):
        os.remove(path)
