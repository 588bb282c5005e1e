import com.sun.source.tree.*;
import com.sun.source.util.*;
import java.nio.file.*;
import java.util.*;
import javax.lang.model.element.*;
import javax.tools.*;

/**
 * Prints what javac says every name of a source tree means, as truth for the accuracy bench.
 *
 * <p>usage: java JavaTruth.java ROOT SOURCE-FOLDER.. &gt; truth.tsv. What can't be resolved (libraries that are not there) is left out.
 * Lines are `path line column kind definition-path definition-line`; see scip_truth.py.
 */
public class JavaTruth {
    static Path root;
    static Trees trees;
    static final TreeSet<String> out = new TreeSet<>();
    static final Map<CompilationUnitTree, byte[]> texts = new HashMap<>();

    public static void main(String[] args) throws Exception {
        root = Paths.get(args[0]).toRealPath();
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StandardJavaFileManager manager = compiler.getStandardFileManager(null, null, null);
        List<Path> sources = new ArrayList<>();
        for (String folder : Arrays.asList(args).subList(1, args.length)) {
            try (var walk = Files.walk(root.resolve(folder))) {
                walk.filter(path -> path.toString().endsWith(".java") && !path.endsWith("module-info.java")).forEach(sources::add);
            }
        }
        var options = List.of("-proc:none", "-XDshould-stop.ifError=FLOW", "-nowarn");
        JavacTask task = (JavacTask) compiler.getTask(null, manager, diagnostic -> {}, options, null, manager.getJavaFileObjectsFromPaths(sources));
        List<CompilationUnitTree> units = new ArrayList<>();
        task.parse().forEach(units::add);
        task.analyze();
        trees = Trees.instance(task);
        for (CompilationUnitTree unit : units) {
            new Names(unit).scan(unit, null);
        }
        out.forEach(System.out::println);
    }

    static class Names extends TreePathScanner<Void, Void> {
        final CompilationUnitTree unit;
        final String text, path;

        Names(CompilationUnitTree unit) throws Exception {
            this.unit = unit;
            this.text = unit.getSourceFile().getCharContent(true).toString();
            this.path = rel(unit);
        }

        @Override public Void visitIdentifier(IdentifierTree tree, Void none) {
            if (!(getCurrentPath().getParentPath().getLeaf() instanceof NewClassTree of && of.getIdentifier() == tree)) {
                say(start(tree), tree.getName().toString(), element());
            }
            return super.visitIdentifier(tree, none);
        }

        @Override public Void visitMemberSelect(MemberSelectTree tree, Void none) {
            if (!(getCurrentPath().getParentPath().getLeaf() instanceof NewClassTree of && of.getIdentifier() == tree)) {
                String name = tree.getIdentifier().toString();
                say(end(tree) - name.length(), name, element());
            }
            return super.visitMemberSelect(tree, none);
        }

        @Override public Void visitMemberReference(MemberReferenceTree tree, Void none) {
            String name = tree.getName().toString();
            say(end(tree) - name.length(), name, element());
            return super.visitMemberReference(tree, none);
        }

        @Override public Void visitNewClass(NewClassTree tree, Void none) {
            Tree named = tree.getIdentifier();
            while (named instanceof ParameterizedTypeTree with) named = with.getType();
            if (named instanceof AnnotatedTypeTree with) named = with.getUnderlyingType();
            Element type = trees.getElement(new TreePath(getCurrentPath(), named));
            Element made = tree.getClassBody() == null ? element() : null;
            String name = named instanceof MemberSelectTree select ? select.getIdentifier().toString() : named.toString();
            if (made != null) say(end(named) - name.length(), name, made);
            if (type != null) say(end(named) - name.length(), name, type);
            return super.visitNewClass(tree, none);
        }

        Element element() {
            return trees.getElement(getCurrentPath());
        }

        int start(Tree tree) {
            return (int) trees.getSourcePositions().getStartPosition(unit, tree);
        }

        int end(Tree tree) {
            return (int) trees.getSourcePositions().getEndPosition(unit, tree);
        }

        void say(int at, String name, Element element) {
            if (element == null || at < 0 || element.asType() != null && element.asType().getKind() == javax.lang.model.type.TypeKind.ERROR) return;
            if (!text.startsWith(name, at) || name.equals("this") || name.equals("super") || element.getKind() == ElementKind.PACKAGE) return;
            long line = unit.getLineMap().getLineNumber(at);
            int from = (int) unit.getLineMap().getStartPosition(line);
            int column = text.substring(from, at).getBytes(java.nio.charset.StandardCharsets.UTF_8).length;
            String kind = "out", to = "-";
            long toLine = 0;
            Element where = element;
            TreePath place = trees.getPath(where);
            if (place == null && element.getKind() == ElementKind.CONSTRUCTOR) {
                where = element.getEnclosingElement();
                place = trees.getPath(where);
            }
            if (place != null) {
                kind = switch (element.getKind()) {
                    case LOCAL_VARIABLE, PARAMETER, EXCEPTION_PARAMETER, RESOURCE_VARIABLE, BINDING_VARIABLE, TYPE_PARAMETER -> "local";
                    default -> "in";
                };
                to = rel(place.getCompilationUnit());
                toLine = nameLine(place, where);
            }
            out.add(path + "\t" + line + "\t" + column + "\t" + kind + "\t" + to + "\t" + toLine);
        }
    }

    static String rel(CompilationUnitTree unit) {
        return root.relativize(Paths.get(unit.getSourceFile().toUri())).toString();
    }

    /** The line of the name in a declaration: annotations and modifiers may stand above it. */
    static long nameLine(TreePath place, Element element) {
        CompilationUnitTree unit = place.getCompilationUnit();
        Tree tree = place.getLeaf();
        SourcePositions positions = trees.getSourcePositions();
        int from = (int) positions.getStartPosition(unit, tree);
        ModifiersTree modifiers = tree instanceof MethodTree m ? m.getModifiers() : tree instanceof ClassTree c ? c.getModifiers()
            : tree instanceof VariableTree v ? v.getModifiers() : null;
        if (modifiers != null && positions.getEndPosition(unit, modifiers) > from) from = (int) positions.getEndPosition(unit, modifiers);
        if (tree instanceof MethodTree m && m.getReturnType() != null) from = (int) positions.getEndPosition(unit, m.getReturnType());
        if (tree instanceof VariableTree v && v.getType() != null && positions.getEndPosition(unit, v.getType()) > 0) from = (int) positions.getEndPosition(unit, v.getType());
        String name = element.getKind() == ElementKind.CONSTRUCTOR ? element.getEnclosingElement().getSimpleName().toString() : element.getSimpleName().toString();
        try {
            String text = unit.getSourceFile().getCharContent(true).toString();
            var found = java.util.regex.Pattern.compile("\\b" + java.util.regex.Pattern.quote(name) + "\\b").matcher(text);
            if (!name.isEmpty() && found.find(from)) from = found.start();
        } catch (java.io.IOException ignored) {
            return unit.getLineMap().getLineNumber(from);
        }
        return unit.getLineMap().getLineNumber(from);
    }
}
