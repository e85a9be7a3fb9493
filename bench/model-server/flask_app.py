"""The baseline: the same entry point behind Flask, with none of the checks that our server makes."""
import importlib
import os
import sys

from flask import Flask, jsonify, request

sys.path.insert(0, os.environ['MODEL_LOCATION'])
entrypoint = importlib.import_module('entrypoint')
entrypoint.init()
app = Flask(__name__)


@app.route('/api/model/invoke', methods=['POST'])
def invoke():
    document = request.get_json()
    matrix, columns = entrypoint.predict_on_matrix(document['data'], provided_columns_names=document.get('columns'))
    return jsonify(prediction=matrix.tolist(), columns=columns)


@app.route('/healthz/ready')
def ready():
    return jsonify(status=True)
