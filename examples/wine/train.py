"""Learns how much alcohol a wine holds from its other measurements (178 wines, bundled with scikit-learn)."""
import argparse

import mlflow
import mlflow.sklearn
from sklearn.datasets import load_wine
from sklearn.linear_model import ElasticNet
from sklearn.metrics import mean_absolute_error, r2_score, root_mean_squared_error
from sklearn.model_selection import train_test_split

SEED = 20260101
TARGET = 'alcohol'


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--alpha', type=float, default=0.1, help='strength of the penalty')
    parser.add_argument('--l1-ratio', type=float, default=0.1, help='share of the L1 penalty, 0 to 1')
    options = parser.parse_args()

    wines = load_wine(as_frame=True).data
    train, test = train_test_split(wines, test_size=0.25, random_state=SEED)
    train_x, test_x = train.drop(columns=[TARGET]), test.drop(columns=[TARGET])

    with mlflow.start_run():
        model = ElasticNet(alpha=options.alpha, l1_ratio=options.l1_ratio, random_state=SEED)
        model.fit(train_x, train[TARGET])
        predicted = model.predict(test_x)
        metrics = {
            'rmse': root_mean_squared_error(test[TARGET], predicted),
            'mae': mean_absolute_error(test[TARGET], predicted),
            'r2': r2_score(test[TARGET], predicted),
        }
        mlflow.log_params({'alpha': options.alpha, 'l1_ratio': options.l1_ratio})
        mlflow.log_metrics(metrics)
        mlflow.sklearn.log_model(model, name='model', input_example=train_x.head(2))
    print(' '.join('{}={:.4f}'.format(name, value) for name, value in metrics.items()))


if __name__ == '__main__':
    main()
