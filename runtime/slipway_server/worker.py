"""What every worker process does once: loads the model and makes the WSGI callable."""
import sys
import traceback

from .app import ModelServer
from .board import FAILED
from .guard import start_guard
from .model import load_model, read_samples
from .pool import Pool


def create_app(settings, board):
    """Ends the process when the model cannot be loaded; the main process then ends too, instead of trying for ever."""
    try:
        model = load_model(settings)
        samples = read_samples(settings.location)
        slot = board.claim()
        batch_rows = settings.batch_rows if model.batched else 1
        pool = Pool(model.predict, settings.threads, settings.backlog, settings.timeout_seconds, batch_rows)
        app = ModelServer(model, pool, board, slot, settings, samples)
    # The entry point is foreign code and may raise SystemExit.
    except BaseException:
        traceback.print_exc()
        board.set(FAILED)
        sys.exit(1)
    start_guard(pool, board, slot, settings.timeout_seconds)
    batches = ', batches of up to {} rows'.format(batch_rows) if batch_rows > 1 else ''
    print('slipway: serving {} {} on port {}{}'.format(model.name, model.version, settings.port, batches), flush=True)
    return app
