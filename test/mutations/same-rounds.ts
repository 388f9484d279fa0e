import { configureGlobal } from 'fast-check';

// What a property notices today it notices tomorrow, too.
configureGlobal({ seed: 57 });
