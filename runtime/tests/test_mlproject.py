import pytest
from job import write_tree
from slipway_runner.failures import RunnerFailure
from slipway_runner.mlproject import read_project

PROJECT = """
name: test
entry_points:
  main:
    parameters:
      alpha: {type: float, default: 0.5}
      data: path
      name: string
    command: python train.py --alpha {alpha} --data {data} {name}
  bare:
    command: ./run.sh
"""


@pytest.fixture
def project(tmp_path):
    return read_project(str(write_tree(tmp_path, {'MLproject': PROJECT})))


def refused(function, *arguments):
    with pytest.raises(RunnerFailure) as caught:
        function(*arguments)
    assert caught.value.exit_code == 64
    return str(caught.value)


def test_declared_parameters_fill_the_command_and_defaults_apply(project):
    assert project.command('main', {'data': 'a.csv', 'name': 'n'}) == 'python train.py --alpha 0.5 --data a.csv n'


def test_values_are_quoted_for_the_shell(project):
    line = project.command('main', {'data': '$(rm -rf /)', 'name': "it's; {alpha}"})
    assert line == "python train.py --alpha 0.5 --data '$(rm -rf /)' 'it'\"'\"'s; {alpha}'"


def test_undeclared_parameters_and_arguments_are_appended(project):
    assert project.command('bare', {'depth': '3 4'}, ['--fast', 'a b']) == "./run.sh --depth '3 4' --fast 'a b'"


def test_all_missing_parameters_are_named_at_once(project):
    assert refused(project.command, 'main', {}) == 'entry point "main" needs parameters without a default: data, name'


@pytest.mark.parametrize('name', ['a;b', '$(x)', '1a', '-x', 'a b', '', 'a\nb', 'é'])
def test_a_parameter_name_that_could_reach_the_shell_is_refused(project, name):
    assert 'must match' in refused(project.command, 'bare', {name: '1'})


def test_an_unknown_entry_point_is_named_with_the_known_ones(project):
    assert refused(project.command, 'train', {}) == 'entry point "train" is not in MLproject (it has: main, bare)'


@pytest.mark.parametrize('name', ['MLproject', 'mlproject', 'MLPROJECT'])
def test_the_file_may_be_written_in_any_case(tmp_path, name):
    write_tree(tmp_path, {name: PROJECT})
    assert read_project(str(tmp_path)).command('bare', {}) == './run.sh'


@pytest.mark.parametrize(
    'text, message',
    [
        ('- a', 'MLproject is not a mapping'),
        ('a: [', 'MLproject cannot be read'),
        ('python_env: a\nconda_env: b', 'more than one environment: python_env, conda_env'),
    ],
)
def test_an_invalid_file_is_refused(tmp_path, text, message):
    write_tree(tmp_path, {'MLproject': text})
    assert message in refused(read_project, str(tmp_path))


def test_a_folder_without_the_file_is_refused(tmp_path):
    expected = 'no MLproject file in the project folder: set workDir to the folder that has it'
    assert refused(read_project, str(tmp_path)) == expected


@pytest.mark.parametrize(
    'document, message',
    [
        ('name: x', 'MLproject declares no entry_points'),
        ('entry_points: {main: {command: ""}}', 'entry point "main" has no command'),
        ('entry_points: {main: {command: "a {b}"}}', 'uses undeclared parameters: b'),
        ('entry_points: {main: {parameters: [a], command: x}}', 'are not a mapping'),
    ],
)
def test_an_entry_point_that_cannot_run_is_refused(tmp_path, document, message):
    write_tree(tmp_path, {'MLproject': document})
    assert message in refused(read_project(str(tmp_path)).command, 'main', {})


@pytest.mark.parametrize(
    'files, expected',
    [
        ({}, None),
        ({'requirements.txt': ''}, ('requirements', 'requirements.txt')),
        ({'requirements.txt': '', 'conda.yaml': ''}, ('conda_env', 'conda.yaml')),
        ({'requirements.txt': '', 'conda.yaml': '', 'python_env.yaml': ''}, ('python_env', 'python_env.yaml')),
    ],
)
def test_an_unnamed_environment_falls_back_to_known_files(tmp_path, files, expected):
    write_tree(tmp_path, dict(files, MLproject=PROJECT))
    assert read_project(str(tmp_path)).environment == expected
