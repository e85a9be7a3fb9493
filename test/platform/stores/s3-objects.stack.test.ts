import { startMoto } from '../../clouds/moto.js';
import { s3Contract } from './s3.contract.js';

s3Contract(startMoto);
