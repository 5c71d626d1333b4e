import { expect, it } from '@jest/globals';
import { envVarName } from './marker-name';

it.each([
  ['ConfigMap', 'my-config', 'STAKATER_MY_CONFIG_CONFIGMAP'],
  ['ConfigMap', 'my.config', 'STAKATER_MY_CONFIG_CONFIGMAP'],
  ['ConfigMap', 'my--config', 'STAKATER_MY_CONFIG_CONFIGMAP'],
  ['ConfigMap', 'kube-root-ca.crt', 'STAKATER_KUBE_ROOT_CA_CRT_CONFIGMAP'],
  ['ConfigMap', 'app-v1.2.3', 'STAKATER_APP_V1_2_3_CONFIGMAP'],
  ['ConfigMap', '1abc', 'STAKATER_1ABC_CONFIGMAP'],
  ['ConfigMap', 'x-', 'STAKATER_X__CONFIGMAP'],
  ['ConfigMap', '--x', 'STAKATER_X_CONFIGMAP'],
  ['Secret', 'db.creds', 'STAKATER_DB_CREDS_SECRET'],
  ['SecretProviderClass', 'vault-spc', 'STAKATER_VAULT_SPC_SECRETPROVIDERCLASS'],
] as const)('§5.1 names the variable of %s %s', (kind, name, expected) =>
  expect(envVarName(kind, name)).toBe(expected),
);
