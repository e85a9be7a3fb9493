/** y = x + x over rows of two, in ONNX. */
const TWICE =
  'CAg6RQoOCgF4CgF4EgF5IgNBZGQSAWdaFwoBeBISChAIARIMCgYSBHJvd3MKAggCYhcKAXkSEgoQCAESDAoGEgRyb3dzCgIIAkIECgAQDQ==';

/** A project of MLflow whose program writes a model for a tensor server. */
export const TENSOR_PROJECT = {
  MLproject: 'name: twice\nentry_points: {main: {command: "python write.py"}}\n',
  'write.py': `
output = os.environ["SLIPWAY_OUTPUT_DIR"]
with open(output + "/model.onnx", "wb") as stream:
    stream.write(base64.b64decode("${TWICE}"))
os.mkdir(output + "/samples")
tensor = {"shape": [1, 2], "datatype": "FP32"}
for name, document in (
    ("input", {"inputs": [dict(tensor, name="x", data=[1, 2])]}),
    ("output", {"outputs": [dict(tensor, name="y", data=[2, 4])]}),
):
    with open(output + "/samples/" + name + ".json", "w") as stream:
        json.dump(document, stream)
`,
};

/** The program of a toolchain of its own, which needs nothing of the platform. */
export const OWN_TRAINING = {
  'train.sh': `set -e
mkdir -p /workspace/output/artifact
grep -o '"entrypoint":"[a-z]*"' "$1" > /workspace/output/artifact/given.txt
cp /workspace/src/pack.py /workspace/output/artifact
`,
  'pack.py': `
job = json.load(open(sys.argv[1]))
os.makedirs("/workspace/output/app")
shutil.copy("/workspace/artifact/given.txt", "/workspace/output/app")
serve = "cat given.txt; echo " + job["arguments"]["flavor"]
with open("/workspace/output/image.json", "w") as stream:
    json.dump({"base": "python:3.11-slim", "entrypoint": ["sh", "-c", serve]}, stream)
`,
};
