import os
import subprocess
import sys
import zipfile

import pytest
from job import RUNTIME, write_tree
from slipway_runner import environment
from slipway_runner.conda import pip_requirements
from slipway_runner.failures import RunnerFailure


@pytest.fixture
def resolve(tmp_path):
    """resolve(files) resolves a project against a local folder of wheels, without any network."""
    wheels = tmp_path / 'wheels'
    wheels.mkdir()
    for version in ('1.0', '1.1', '2.0'):
        write_wheel(wheels, 'requests', version)
    write_wheel(wheels, 'numpy', '1.19.5')
    # Files of settings are not read, and the cache of this machine would be an index.
    offline = {'UV_FIND_LINKS': str(wheels), 'UV_OFFLINE': '1', 'UV_CACHE_DIR': str(tmp_path / 'cache')}

    def run(files, **variables):
        project = write_tree(tmp_path / 'project', files)
        lock = tmp_path / 'lock.txt'
        done = subprocess.run(
            [sys.executable, '-m', 'slipway_runner', 'environment', '--project', str(project), '--lock', str(lock)],
            env=dict(os.environ, PYTHONPATH=RUNTIME, **dict(offline, **variables)),
            capture_output=True,
            text=True,
            timeout=60,
        )
        return done.returncode, lock.read_text() if lock.exists() else None, done.stderr

    return run


def write_wheel(folder, name, version):
    info = '{}-{}.dist-info/'.format(name, version)
    with zipfile.ZipFile(str(folder / '{}-{}-py3-none-any.whl'.format(name, version)), 'w') as wheel:
        wheel.writestr(info + 'METADATA', 'Metadata-Version: 2.1\nName: {}\nVersion: {}\n'.format(name, version))
        wheel.writestr(info + 'WHEEL', 'Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n')
        wheel.writestr(info + 'RECORD', '')


def test_a_python_env_with_included_requirements_becomes_a_hashed_lock(resolve):
    code, lock, _ = resolve(
        {
            'MLproject': 'python_env: envs/python_env.yaml',
            'envs/python_env.yaml': 'python: "3"\nbuild_dependencies: [pip, wheel]\ndependencies: ["-r requirements.txt"]',
            'envs/requirements.txt': 'requests<2\n',
        }
    )
    assert code == 0
    assert lock.startswith('requests==1.1 \\\n')
    assert '--hash=sha256:' in lock
    assert '#' not in lock


def test_a_conda_env_is_resolved_through_pip_names(resolve):
    conda = 'dependencies: ["python>=3.8", pip, numpy=1.19, {pip: ["requests==1.0"]}]'
    code, lock, _ = resolve({'MLproject': 'conda_env: conda.yaml', 'conda.yaml': conda})
    assert code == 0
    assert [line.split()[0] for line in lock.splitlines() if '==' in line] == ['numpy==1.19.5', 'requests==1.0']


def test_bare_requirements_are_taken(resolve):
    code, lock, _ = resolve({'MLproject': 'name: x', 'requirements.txt': 'requests\n'})
    assert (code, lock.split()[0]) == (0, 'requests==2.0')


@pytest.mark.parametrize('name, text', [('uv.toml', '{}'), ('pyproject.toml', '[tool.uv]\n{}')])
def test_settings_of_a_project_are_not_read(resolve, name, text):
    settings = text.format('find-links = ["elsewhere"]\nno-binary = true\npip = {prerelease = "x"}\n')
    code, lock, stderr = resolve({'MLproject': 'name: x', 'requirements.txt': 'requests\n', name: settings})
    assert (code, lock.split()[0] if lock else stderr) == (0, 'requests==2.0')


def test_the_uv_of_the_platform_is_used_where_it_was_put(resolve, tmp_path):
    ours = tmp_path / 'ours'
    ours.write_text('#!/bin/sh\necho "tea==1.0 $@"\n')
    ours.chmod(0o755)
    code, lock, _ = resolve({'MLproject': 'name: x', 'requirements.txt': 'requests\n'}, SLIPWAY_UV=str(ours))
    assert code == 0 and lock.startswith('tea==1.0 pip compile')
    assert '--no-config' in lock and '--only-binary :all:' in lock


def test_what_has_no_wheel_is_refused_with_the_remedy_unless_the_operator_allows_it(resolve, tmp_path):
    project = {'MLproject': 'name: x', 'requirements.txt': 'coffee\n'}
    (tmp_path / 'wheels' / 'coffee-1.0.tar.gz').write_bytes(b'')
    code, _, stderr = resolve(project)
    assert code == 65
    assert 'coffee' in stderr and 'SLIPWAY_ALLOW_SOURCE_PACKAGES=true' in stderr
    _, _, stderr = resolve(project, SLIPWAY_ALLOW_SOURCE_PACKAGES='true')
    assert 'SLIPWAY_ALLOW_SOURCE_PACKAGES' not in stderr


def test_a_refusal_is_written_where_the_worker_reads_it(resolve, tmp_path):
    resolve({'MLproject': 'name: x', 'requirements.txt': 'requests>9\n'})
    assert 'could not be resolved' in (tmp_path / '.slipway' / 'outcome.json').read_text()


def test_a_project_without_an_environment_gets_an_empty_lock(resolve):
    assert resolve({'MLproject': 'name: x'})[:2] == (0, '')


def test_what_cannot_be_resolved_is_65_with_one_sentence(resolve):
    code, lock, stderr = resolve({'MLproject': 'name: x', 'requirements.txt': 'requests>9\n'})
    assert (code, lock) == (65, None)
    assert len(stderr.strip().splitlines()) == 1
    assert 'dependencies could not be resolved' in stderr and 'requests' in stderr


def test_conda_packages_without_a_pip_name_are_65_and_named(resolve):
    conda = 'dependencies: [cudatoolkit=11, numpy, "r::r-base=4"]'
    code, _, stderr = resolve({'MLproject': 'conda_env: c.yaml', 'c.yaml': conda})
    assert code == 65
    assert stderr == 'slipway: conda packages without a known pip name: cudatoolkit, r-base\n'


@pytest.mark.parametrize(
    'files, message',
    [
        ({'MLproject': 'docker_env: {image: x}'}, 'docker_env is not supported'),
        ({'MLproject': 'python_env: none.yaml'}, 'none.yaml does not exist'),
        ({'MLproject': 'python_env: ../wheels/x'}, 'lies outside the project'),
        ({'MLproject': 'python_env: p', 'p': 'dependencies: ["--index-url=http://x"]'}, 'option --index-url is not allowed'),
        ({'MLproject': 'python_env: p', 'p': 'dependencies: ["-e ."]'}, 'option -e is not allowed'),
        ({'MLproject': 'python_env: p', 'p': 'dependencies: ["-r /etc/passwd"]'}, 'lies outside the project'),
        ({'MLproject': 'python_env: p', 'p': 'dependencies: x'}, 'are not a list'),
    ],
)
def test_a_project_that_is_wrong_is_64_with_one_sentence(resolve, files, message):
    code, lock, stderr = resolve(files)
    assert (code, lock) == (64, None)
    assert message in stderr and len(stderr.strip().splitlines()) == 1


@pytest.mark.parametrize(
    'entry, expected',
    [
        ('numpy', 'numpy'),
        ('numpy=1.19', 'numpy==1.19.*'),
        ('numpy 1.19', 'numpy==1.19.*'),
        ('numpy=1.19.*', 'numpy==1.19.*'),
        ('numpy==1.19.5', 'numpy==1.19.5'),
        ('numpy=1.19.5=py38h1_0', 'numpy==1.19.5'),
        ('numpy>=1.19,<2', 'numpy>=1.19,<2'),
        ('conda-forge::scikit-learn=1.0', 'scikit-learn==1.0.*'),
        ('pytorch=2.1', 'torch==2.1.*'),
        ('PyYAML', 'pyyaml'),
    ],
)
def test_conda_entries_map_to_pip(entry, expected):
    assert pip_requirements({'dependencies': [entry]}) == ([expected], None)


def test_a_conda_entry_that_cannot_be_read_is_refused():
    with pytest.raises(RunnerFailure, match='cannot be read'):
        pip_requirements({'dependencies': ['!!']})


@pytest.mark.parametrize(
    'wanted, holds',
    [
        ('3', True),
        ('3.11', True),
        ('=3.11.9', True),
        ('==3.11', True),
        ('3.11.*', True),
        ('=3.11.4=h1a2_0', True),
        ('>=3.8', True),
        ('>=3.8,<3.12', True),
        ('~=3.9', True),
        ('3.8|3.11', True),
        ('!=3.10', True),
        ('3.1', False),
        ('3.8.2', False),
        ('2', False),
        ('>=3.12', False),
        ('>=3.8,<3.11', False),
        ('~=3.10.1', False),
        ('!=3.11', False),
    ],
)
def test_a_version_of_python_fits(wanted, holds):
    assert environment.fits(wanted, (3, 11, 2)) is holds


@pytest.mark.parametrize(
    'files',
    [
        {'conda.yaml': 'dependencies: ["python=3.6.5"]', 'MLproject': 'conda_env: conda.yaml'},
        {'env.yaml': 'python: "3.6.5"', 'MLproject': 'python_env: env.yaml'},
    ],
)
def test_another_python_fails_at_once_with_the_one_that_there_is(tmp_path, files):
    write_tree(tmp_path, files)
    with pytest.raises(RunnerFailure) as caught:
        environment.write_lock(str(tmp_path), str(tmp_path / 'lock.txt'))
    have = '{}.{}'.format(*sys.version_info[:2])
    assert 'asks for Python' in str(caught.value) and 'this toolchain has Python {}:'.format(have) in str(caught.value)
    assert caught.value.exit_code == 64


def test_a_python_that_cannot_be_read_is_named():
    with pytest.raises(RunnerFailure, match='"pypy" cannot be read'):
        environment.fits('pypy', (3, 11, 2))
