"""Learns how much alcohol a wine holds from its other measurements, of the wines that are known so far.

The first rows of wines.csv are known from the start, the last ones are kept for the test. What lies between becomes
known as feedback on predictions: data/feedback.ndjson, one JSON object per line with request and feedback.
"""
import argparse
import json
import os

import mlflow
import mlflow.sklearn
import pandas
from sklearn.linear_model import ElasticNet
from sklearn.metrics import mean_absolute_error, root_mean_squared_error

KNOWN = 33
TESTED = 45
TARGET = 'alcohol'
FEEDBACK = os.path.join('data', 'feedback.ndjson')


def learned_from_feedback():
    """One row per measurement that a request asked about and feedback gave the truth for."""
    if not os.path.exists(FEEDBACK):
        return []
    with open(FEEDBACK, encoding='utf-8') as lines:
        joined = [json.loads(line) for line in lines]
    return [
        pandas.DataFrame(row['request']['data'], columns=row['request']['columns']).assign(**{TARGET: row['feedback'][TARGET]})
        for row in joined
    ]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--alpha', type=float, default=0.01, help='strength of the penalty')
    options = parser.parse_args()

    wines = pandas.read_csv('wines.csv')
    test = wines.tail(TESTED)
    known = pandas.concat([wines.head(KNOWN), *learned_from_feedback()])
    columns = [name for name in wines.columns if name != TARGET]

    with mlflow.start_run():
        model = ElasticNet(alpha=options.alpha, l1_ratio=0.5).fit(known[columns], known[TARGET])
        predicted = model.predict(test[columns])
        metrics = {
            'rmse': root_mean_squared_error(test[TARGET], predicted),
            'mae': mean_absolute_error(test[TARGET], predicted),
            'rows': float(len(known)),
        }
        mlflow.log_params({'alpha': options.alpha})
        mlflow.log_metrics(metrics)
        mlflow.sklearn.log_model(model, name='model', input_example=known[columns].head(2))
    print(' '.join('{}={:.4f}'.format(name, value) for name, value in metrics.items()))


if __name__ == '__main__':
    main()
