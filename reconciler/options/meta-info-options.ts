import { namespaceName, nonEmpty } from '../../shared/runtime/options/option-schemas';
import type { OptionTable } from '../../shared/runtime/options/option-table';

/** Reloader knows these only as environment variables; its chart sets both. */
export const metaInfoOptionTable = {
  metaInfoNamespace: {
    flag: 'meta-info-namespace',
    fallbackEnv: 'RELOADER_NAMESPACE',
    form: 'value',
    schema: namespaceName.optional(),
    describe: 'Publish version and options as ConfigMap reloader-meta-info in this namespace; none: not published.',
    accepts: 'a namespace',
  },
  metaInfoDeployment: {
    flag: 'meta-info-deployment',
    fallbackEnv: 'RELOADER_DEPLOYMENT_NAME',
    form: 'value',
    schema: nonEmpty.optional(),
    describe: "Name of Reroll's own Deployment, for that ConfigMap.",
    accepts: 'the name of a Deployment',
  },
} satisfies OptionTable;
