import { expect, test } from 'vitest';
import { parseSettings } from '../../../config.js';
import { weakOption } from '../../../platform/kinds/mongodb-uri.js';

test.each([
  'mongodb://127.0.0.1:27017',
  'mongodb://a:1,b:2,c:3/?replicaSet=rs0',
  'mongodb+srv://user:pass@cluster.example/?retryWrites=true&w=majority&journal=true&readPreference=primary',
])('%s is accepted', (uri) => {
  expect(weakOption(uri)).toBeUndefined();
  expect(parseSettings({ MONGODB_URI: uri }).MONGODB_URI).toBe(uri);
});

test.each(['w=1', 'w=0', 'W=2', 'j=false', 'journal=false', 'readPreference=secondary', 'readpreference=nearest'])(
  '%s stops the start and is named, the rest of the URI is not',
  (option) => {
    const uri = `mongodb://user:hidden@a:1,b:2/?replicaSet=rs0&${option}`;
    const start = () => parseSettings({ MONGODB_URI: uri });
    expect(start).toThrow(expect.objectContaining({ code: 'validation_failed' }));
    expect(start).toThrow(option);
    expect(start).not.toThrow('hidden');
  },
);
