import { memoryEffectFirst, memoryMarkFirst } from '../../receiver/memory.js';
import type { ReceiptStore } from '../../receiver/store.js';
import { describeReceiver, type Scene } from './receiver.contract.js';

async function openScene(store: ReceiptStore<undefined>): Promise<Scene<undefined>> {
  const noted: string[] = [];
  return {
    store,
    note: async (id) => void noted.push(id),
    count: async (id) => noted.filter((other) => other === id).length,
  };
}

describeReceiver('memory, mark first', () => openScene(memoryMarkFirst()));
describeReceiver('memory, effect first', () => openScene(memoryEffectFirst()));
