"""The smallest usual classifier: what is left of a request is mostly the server."""
import mlflow
import mlflow.sklearn
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression

data = load_iris(as_frame=True)
with mlflow.start_run():
    model = LogisticRegression(max_iter=500).fit(data.data, data.target)
    mlflow.sklearn.log_model(model, name='model', input_example=data.data.head(1))
