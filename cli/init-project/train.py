"""Trains a model and logs it with its parameters and metrics: replace data and model by yours."""
import argparse

import mlflow
import mlflow.sklearn
from sklearn.datasets import load_diabetes
from sklearn.linear_model import Ridge
from sklearn.metrics import mean_absolute_error
from sklearn.model_selection import train_test_split


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--alpha', type=float, default=0.1, help='strength of the penalty')
    options = parser.parse_args()

    data = load_diabetes(as_frame=True)
    train_x, test_x, train_y, test_y = train_test_split(data.data, data.target, random_state=1)

    with mlflow.start_run():
        model = Ridge(alpha=options.alpha).fit(train_x, train_y)
        mlflow.log_param('alpha', options.alpha)
        mlflow.log_metric('mae', mean_absolute_error(test_y, model.predict(test_x)))
        # Exactly one model; the example names its columns and is the sample of the catalog.
        mlflow.sklearn.log_model(model, name='model', input_example=train_x.head(2))


if __name__ == '__main__':
    main()
