"""Conda requirements as pip requirements. Only names known to mean the same project are taken over."""
import re

from .failures import dependency_failed, project_invalid

# A same-named project on a package index may be another one, hence a list instead of a guess.
SAME_NAME = frozenset(
    """
    boto3 catboost category_encoders click cloudpickle cython dask datasets fastparquet fsspec gensim h5py imbalanced-learn
    joblib jsonschema keras lightgbm matplotlib mlflow mlflow-skinny networkx nltk numba numexpr numpy onnx onnxruntime
    openpyxl optuna pandas pillow plotly polars prophet psutil pyarrow pydantic python-dateutil pytz pyyaml requests
    s3fs scikit-image scikit-learn scipy seaborn sentencepiece shap skl2onnx skops spacy sqlalchemy statsmodels sympy
    tabulate tensorflow threadpoolctl tokenizers torch torchvision tqdm transformers typing_extensions xgboost xlrd
    """.split()
)
OTHER_NAME = {
    'matplotlib-base': 'matplotlib',
    'msgpack-python': 'msgpack',
    'py-lightgbm': 'lightgbm',
    'py-opencv': 'opencv-python-headless',
    'py-xgboost': 'xgboost',
    'pytables': 'tables',
    'pytorch': 'torch',
    'pytorch-cpu': 'torch',
}
# Part of every environment, or of the toolchain itself.
IGNORED = frozenset(('pip', 'setuptools', 'wheel'))
ENTRY = re.compile(r'^(?:[\w.-]+::)?(?P<name>[\w.-]+)\s*(?P<spec>.*)$')


def pip_requirements(document):
    """(requirements, wanted Python or None) of a conda.yaml. @raises naming every entry without a known pip name."""
    requirements = []
    unmapped = []
    python = None
    dependencies = document.get('dependencies') or []
    if not isinstance(dependencies, list):
        raise project_invalid('dependencies of the conda environment are not a list')
    for entry in dependencies:
        if isinstance(entry, dict):
            requirements.extend(str(line) for line in entry.get('pip') or [])
            continue
        match = ENTRY.match(str(entry).strip())
        if match is None:
            raise project_invalid('conda entry {!r} cannot be read'.format(entry))
        name = match.group('name').lower()
        if name == 'python':
            python = match.group('spec').strip() or None
        elif name in SAME_NAME or name in OTHER_NAME:
            requirements.append(OTHER_NAME.get(name, name) + _pip_version(match.group('spec').strip()))
        elif name not in IGNORED:
            unmapped.append(name)
    if unmapped:
        raise dependency_failed('conda packages without a known pip name: {}'.format(', '.join(unmapped)))
    return requirements, python


def _pip_version(spec):
    """`=1.2` and `1.2` mean 1.2.*, `==1.2` is exact, `=1.2=build` drops the build, ranges stay."""
    if not spec:
        return ''
    if spec.startswith('==') or spec[0] in '<>!~':
        return spec.replace(' ', '')
    version = re.split(r'[=\s]', spec.lstrip('=').strip())[0]
    has_build = re.match(r'^=?[^=\s]+[=\s]\S+', spec) is not None
    if has_build or version.endswith('*'):
        return '==' + version
    return '=={}.*'.format(version)
