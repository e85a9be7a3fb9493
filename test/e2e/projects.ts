import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import type { TestPlatform } from './platform.js';

export const MLPROJECT = `
name: small
entry_points:
  main:
    parameters:
      pause: {type: float, default: 0}
    command: "python train.py {pause}"
`;

/** Counts to 50 with a pause in between, then learns y = 2x + 1. */
export const SMALL_MODEL = `
import sys, time
for number in range(50):
    print("line", number, flush=True)
    time.sleep(float(sys.argv[1]))
import mlflow, numpy, pandas
from sklearn.linear_model import LinearRegression
x = pandas.DataFrame({"x": [0.0, 1.0, 2.0, 3.0]})
with mlflow.start_run():
    mlflow.log_metric("answer", 42)
    fitted = LinearRegression().fit(x, 2 * x["x"] + 1)
    # With its packages named, MLflow starts no second process to find them.
    mlflow.sklearn.log_model(fitted, name="model", input_example=x.head(2), pip_requirements=["scikit-learn"])
`;

/** Commits files and stores a connection to them. @returns its id */
export async function createRepository(platform: TestPlatform, files: Record<string, string>): Promise<string> {
  const id = platform.newId('code');
  const folder = join(platform.folder, id);
  await mkdir(folder);
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  const git = (...args: string[]) => execa('git', args, { cwd: folder });
  await git('init', '--quiet', '--initial-branch=main');
  await git('add', '.');
  await git('-c', 'user.name=test', '-c', 'user.email=test@example.org', 'commit', '--quiet', '-m', 'project');
  await platform.admin.create('/connection', id, { type: 'git', uri: folder });
  return id;
}

/** Commits a project with this \`train.py\` and stores a connection to it. @returns the id of the connection */
export async function createProject(platform: TestPlatform, train: string): Promise<string> {
  return createRepository(platform, { MLproject: MLPROJECT, 'train.py': train });
}

/** The spec of a training of such a project. */
export function trainingSpec(connection: string, { name = 'small', pause = 0, ...more } = {}): object {
  return {
    model: { name, version: '1' },
    toolchain: 'ml-toolchain',
    algorithmSource: { vcs: { connection } },
    hyperParameters: { pause: String(pause) },
    ...more,
  };
}
